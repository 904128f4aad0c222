package recall

import (
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// Retry is how soon an object is looked at again that the cache is behind with. The
	// news is on its way, and a few milliseconds are usual.
	Retry = 20 * time.Millisecond
	// longestWait bounds the wait, which doubles as long as there is no news: thousands of objects
	// may wait for one watch that has stalled. It is how late a look may be once there is news, as
	// the event of our own write wakes nobody up.
	longestWait = 500 * time.Millisecond
)

// Expectations are our own last writes of objects, each until the cache has seen it. A controller that is woken up between its
// write and the cache's news of it would judge by the old state: it would write the same thing again, and tell people about it
// twice. The zero value is ready; it is safe for concurrent use.
type Expectations struct {
	last ByObject[write]
}

type write struct {
	version string
	// waited is how often somebody has been told to wait for it.
	waited int
}

// Expect remembers obj as the API server answered our write.
func (e *Expectations) Expect(obj client.Object) {
	e.last.Set(client.ObjectKeyFromObject(obj), write{version: obj.GetResourceVersion()})
}

// Wait returns how soon to look again at obj, which, as it was read from the cache, is older than
// our last write of it; 0 if it is not. Then the write is forgotten.
func (e *Expectations) Wait(obj client.Object) (wait time.Duration) {
	e.last.Update(client.ObjectKeyFromObject(obj), func(last write) write {
		if !older(obj, last.version) {
			return write{}
		}
		wait = min(Retry<<min(last.waited, 16), longestWait)
		last.waited++
		return last
	})
	return wait
}

// Forget drops what is kept for an object that is gone.
func (e *Expectations) Forget(key client.ObjectKey) { e.last.Forget(key) }

// older reports whether what the cache has under a name is older than a write under that name. That may be an object that had the
// name before, or one that has taken it since: versions of one kind are in order, whichever object they are of.
func older(shown client.Object, version string) bool {
	order, err := resourceversion.CompareResourceVersion(shown.GetResourceVersion(), version)
	return err == nil && order < 0
}
