package healthcheck

import (
	"hash/maphash"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lastResults holds the kept results, and the counts of Damping, by object. The zero value is ready; it is safe for concurrent use.
type lastResults struct {
	mu sync.Mutex
	of map[client.ObjectKey]lastSeen
}

// lastSeen holds the results for one state of an object.
type lastSeen struct {
	as      identity
	results []keptResult
	// counts are those of Damping, for any state of the object.
	counts []Progress
}

// load returns the results for an object, if it has not changed, and the counts.
func (l *lastResults) load(obj client.Object) ([]keptResult, []Progress) {
	l.mu.Lock()
	seen, found := l.of[client.ObjectKeyFromObject(obj)]
	l.mu.Unlock()
	switch {
	case !found || seen.as.uid != obj.GetUID():
		return nil, nil
	case seen.as != identify(obj):
		return nil, seen.counts
	}
	return seen.results, seen.counts
}

// store replaces the results and counts for an object.
func (l *lastResults) store(obj client.Object, results []keptResult, counts []Progress) {
	if len(results) == 0 && len(counts) == 0 {
		l.forget(client.ObjectKeyFromObject(obj))
		return
	}
	seen := lastSeen{identify(obj), results, counts}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[client.ObjectKey]lastSeen{}
	}
	l.of[client.ObjectKeyFromObject(obj)] = seen
}

// forget drops the results for an object that is gone.
func (l *lastResults) forget(key client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, key)
}

// identity is the state of an object that its results depend on: which object it is, and what people
// want of it.
type identity struct {
	uid        types.UID
	generation int64
	// version is the resource version of an object without a generation: nothing else shows that it
	// changed.
	version             string
	deleted             bool
	labels, annotations uint64
}

func identify(obj client.Object) identity {
	id := identity{
		uid: obj.GetUID(), generation: obj.GetGeneration(), deleted: !obj.GetDeletionTimestamp().IsZero(),
		labels: sum(obj.GetLabels()), annotations: sum(obj.GetAnnotations()),
	}
	if id.generation == 0 {
		id.version = obj.GetResourceVersion()
	}
	return id
}

var seed = maphash.MakeSeed()

// sum returns a hash of a map. It leaves out clocks, which the engine itself writes.
func sum(values map[string]string) uint64 {
	var total uint64
	for key, value := range values {
		if !strings.HasPrefix(key, ProgressAnnotation) {
			total += maphash.Comparable(seed, [2]string{key, value})
		}
	}
	return total
}

// objects is a set of objects, client.ObjectKey to UID. The zero value is ready.
type objects struct{ sync.Map }

// again adds obj, and reports whether it was in the set before.
func (o *objects) again(obj client.Object) bool {
	before, found := o.Swap(client.ObjectKeyFromObject(obj), obj.GetUID())
	return found && before == obj.GetUID()
}

func (o *objects) forget(obj client.Object) { o.Delete(client.ObjectKeyFromObject(obj)) }
