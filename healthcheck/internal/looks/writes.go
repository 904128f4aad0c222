// Package looks is about what leads to a look at an object: it tells the events of the engine's own writes from those of
// others, events from timers, and one look from the next. It only saves and delays looks; no verdict depends on it, so a
// restart changes none.
package looks

import (
	"slices"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// maxVersions is how many own versions of an object are remembered. Each is forgotten when its event comes; if a watch
// breaks, some events never do.
const maxVersions = 8

// Writes are the engine's own writes whose events are still to come. An event is our own if its object has the version
// that the API server answered with. The event may be faster than that answer, so what arrives meanwhile is kept until
// the write has ended. The zero value is ready to use and safe for concurrent use.
type Writes struct {
	mu sync.Mutex
	of map[client.ObjectKey]*writes
}

type writes struct {
	writing bool
	// own are versions that we wrote, and held those of events that came while we were writing.
	own, held []string
}

// Begin says that writes of an object begin. End must follow.
func (w *Writes) Begin(key client.ObjectKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of[key]
	if one == nil {
		one = &writes{}
		if w.of == nil {
			w.of = map[client.ObjectKey]*writes{}
		}
		w.of[key] = one
	}
	one.writing = true
}

// Wrote remembers the version of an object that a write has returned.
func (w *Writes) Wrote(key client.ObjectKey, version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of[key]
	if one == nil || version == "" || slices.Contains(one.own, version) {
		return
	}
	if one.own = append(one.own, version); len(one.own) > maxVersions {
		one.own = slices.Delete(one.own, 0, 1)
	}
}

// End says that the writes of an object have ended, and reports whether an event came meanwhile that was not our own: it
// has led to no look yet.
func (w *Writes) End(key client.ObjectKey) (others bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of[key]
	if one == nil {
		return false
	}
	for _, version := range one.held {
		others = !one.take(version) || others
	}
	one.writing, one.held = false, nil
	w.drop(key, one)
	return others
}

// Concern reports whether the event of an object may be that of an own write.
func (w *Writes) Concern(obj client.Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of[client.ObjectKeyFromObject(obj)]
	return one != nil && (one.writing || slices.Contains(one.own, obj.GetResourceVersion()))
}

// Take reports whether the event of an object is that of an own write, or waits for the end of one: see End.
func (w *Writes) Take(obj client.Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := client.ObjectKeyFromObject(obj)
	one := w.of[key]
	if one == nil {
		return false
	}
	if one.writing {
		one.held = append(one.held, obj.GetResourceVersion())
		return true
	}
	own := one.take(obj.GetResourceVersion())
	w.drop(key, one)
	return own
}

// Forget drops the writes of an object that is gone.
func (w *Writes) Forget(key client.ObjectKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.of, key)
}

// take reports whether a version is our own, and forgets it and all before it: events come in the order of the writes.
func (o *writes) take(version string) bool {
	i := slices.Index(o.own, version)
	o.own = slices.Delete(o.own, 0, i+1)
	return i >= 0
}

// drop forgets an object without writes.
func (w *Writes) drop(key client.ObjectKey, one *writes) {
	if !one.writing && len(one.own) == 0 {
		delete(w.of, key)
	}
}
