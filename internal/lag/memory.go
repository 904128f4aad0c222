package lag

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	firstRetry = 5 * time.Second
	lastRetry  = 5 * time.Minute
)

// Memory is what a controller remembers about an object between two looks: what it has made on its behalf and the cache
// does not show yet, what it could not do, and since when its status waits. It only delays; nothing is decided by it that a
// restart would decide otherwise. The zero value is ready; it is safe for concurrent use.
type Memory struct {
	mu sync.Mutex
	of map[client.ObjectKey]*memory
}

type memory struct {
	expected map[client.ObjectKey]Expected
	failed   map[types.UID]Failure
	putOff   time.Time
	// waits reports that a status waits for the end of a pause.
	waits bool
}

// Expected is a write of ours that the cache does not show yet.
type Expected struct {
	// Object is as the API server answered.
	Object client.Object
	// Since is when it was written, or seen past the cache.
	Since time.Time
}

// Failure is what could not be done.
type Failure struct {
	// Count is how often it has failed in a row.
	Count int
	// RetryAt is when it may be tried again.
	RetryAt time.Time
	text    string
}

// Expect remembers an object that was written on behalf of owner, as the API server answered.
func (m *Memory) Expect(owner client.ObjectKey, obj client.Object, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.keep(owner)
	if kept.expected == nil {
		kept.expected = map[client.ObjectKey]Expected{}
	}
	kept.expected[client.ObjectKeyFromObject(obj)] = Expected{obj, now}
}

// Drop forgets one object, which is gone.
func (m *Memory) Drop(owner client.ObjectKey, obj client.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, key := m.of[owner], client.ObjectKeyFromObject(obj)
	if kept == nil || kept.expected[key].Object == nil || kept.expected[key].Object.GetUID() != obj.GetUID() {
		return
	}
	delete(kept.expected, key)
}

// Unseen returns what was written on behalf of owner and the cache does not show yet, by name. Shown returns an object as
// the cache has it, or nil. What it shows is forgotten.
func (m *Memory) Unseen(owner client.ObjectKey, shown func(client.ObjectKey) client.Object) []Expected {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.of[owner]
	if kept == nil {
		return nil
	}
	maps.DeleteFunc(kept.expected, func(key client.ObjectKey, one Expected) bool {
		obj := shown(key)
		return obj != nil && !older(obj, one.Object)
	})
	var unseen []Expected
	for _, key := range slices.SortedFunc(maps.Keys(kept.expected), byName) {
		unseen = append(unseen, kept.expected[key])
	}
	return unseen
}

// older reports whether an object, as the cache has it, is older than a write of the same object. One of another UID has
// taken its place.
func older(shown, written client.Object) bool {
	if shown.GetUID() != written.GetUID() {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(shown.GetResourceVersion(), written.GetResourceVersion())
	return err == nil && order < 0
}

// Fail remembers that something could not be done for one of those whom owner is about. It may be tried again after a pause,
// which doubles each time. News reports whether the text is another than the last time.
func (m *Memory) Fail(owner client.ObjectKey, subject types.UID, text string, now time.Time) (news bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.keep(owner)
	if kept.failed == nil {
		kept.failed = map[types.UID]Failure{}
	}
	last := kept.failed[subject]
	pause := firstRetry << min(last.Count, 10)
	kept.failed[subject] = Failure{Count: last.Count + 1, RetryAt: now.Add(min(pause, lastRetry)), text: text}
	return last.text != text
}

// Succeed forgets the failures of a subject.
func (m *Memory) Succeed(owner client.ObjectKey, subject types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept := m.of[owner]; kept != nil {
		delete(kept.failed, subject)
	}
}

// Failures returns those of all subjects that still are of interest; the others are forgotten.
func (m *Memory) Failures(owner client.ObjectKey, interesting func(types.UID) bool) map[types.UID]Failure {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.of[owner]
	if kept == nil || len(kept.failed) == 0 {
		return nil
	}
	maps.DeleteFunc(kept.failed, func(subject types.UID, _ Failure) bool { return !interesting(subject) })
	return maps.Clone(kept.failed)
}

// PutOff begins a pause before the next status of owner, as one was written just now.
func (m *Memory) PutOff(owner client.ObjectKey, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.keep(owner)
	kept.putOff, kept.waits = now, false
}

// Yield begins a pause before the next status of owner, as something else comes first. A status that waits already is not put off
// once more: what comes first may come again and again.
func (m *Memory) Yield(owner client.ObjectKey, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept := m.keep(owner); !kept.waits {
		kept.putOff = now
	}
}

// Throttle returns how long the next status of owner is to wait if there is to be a pause between two; 0 if it need not.
func (m *Memory) Throttle(owner client.ObjectKey, pause time.Duration, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.of[owner]
	if kept == nil || kept.putOff.IsZero() {
		return 0
	}
	wait := max(0, kept.putOff.Add(pause).Sub(now))
	kept.waits = wait > 0
	return wait
}

// Forget drops all that is kept for an object that is gone.
func (m *Memory) Forget(owner client.ObjectKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, owner)
}

func (m *Memory) keep(owner client.ObjectKey) *memory {
	if m.of == nil {
		m.of = map[client.ObjectKey]*memory{}
	}
	if m.of[owner] == nil {
		m.of[owner] = &memory{}
	}
	return m.of[owner]
}
