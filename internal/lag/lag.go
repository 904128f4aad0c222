// Package lag reports whether a cache has seen our own last write of an object.
//
// A controller that is woken up between its write and the cache's news of it would
// judge by the old state: it would write the same thing again, and tell people about
// it twice. It serves both controllers and the health check engine. It only delays;
// nothing is decided by what is kept here.
package lag

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
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

// Writes remembers the last write of each object. The zero value is ready; it is
// safe for concurrent use.
type Writes struct {
	last sync.Map // client.ObjectKey -> write
}

type write struct {
	uid     types.UID
	version string
	// waited is how often somebody has been told to wait for it.
	waited int
}

// Note remembers obj as the API server answered our write.
func (w *Writes) Note(obj client.Object) {
	w.last.Store(client.ObjectKeyFromObject(obj), write{uid: obj.GetUID(), version: obj.GetResourceVersion()})
}

// Wait returns how soon to look again at obj, which, as it was read from the cache, is older than
// our last write of it; 0 if it is not. Then the write is forgotten.
func (w *Writes) Wait(obj client.Object) time.Duration {
	key := client.ObjectKeyFromObject(obj)
	kept, ok := w.last.Load(key)
	if !ok {
		return 0
	}
	last := kept.(write)
	if last.uid == obj.GetUID() {
		order, err := resourceversion.CompareResourceVersion(obj.GetResourceVersion(), last.version)
		if err == nil && order < 0 {
			again := last
			again.waited++
			w.last.CompareAndSwap(key, last, again)
			return min(Retry<<min(last.waited, 16), longestWait)
		}
	}
	w.last.CompareAndDelete(key, last)
	return 0
}

// Forget drops what is kept for an object that is gone.
func (w *Writes) Forget(key client.ObjectKey) { w.last.Delete(key) }
