// Code generated from internal/lag/lag.go by make generate. DO NOT EDIT.

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

// Retry is how soon an object is looked at again that the cache is behind with. The
// news is on its way, and a few milliseconds are usual.
const Retry = 20 * time.Millisecond

// Writes remembers the last write of each object. The zero value is ready; it is
// safe for concurrent use.
type Writes struct {
	last sync.Map // client.ObjectKey -> write
}

type write struct {
	uid     types.UID
	version string
}

// Note remembers obj as the API server answered our write.
func (w *Writes) Note(obj client.Object) {
	w.last.Store(client.ObjectKeyFromObject(obj), write{obj.GetUID(), obj.GetResourceVersion()})
}

// Behind reports whether obj, as it was read from the cache, is older than our last
// write of it. Once it is not, the write is forgotten.
func (w *Writes) Behind(obj client.Object) bool {
	key := client.ObjectKeyFromObject(obj)
	kept, ok := w.last.Load(key)
	if !ok {
		return false
	}
	last := kept.(write)
	if last.uid == obj.GetUID() {
		order, err := resourceversion.CompareResourceVersion(obj.GetResourceVersion(), last.version)
		if err == nil && order < 0 {
			return true
		}
	}
	w.last.CompareAndDelete(key, last)
	return false
}

// Forget drops what is kept for an object that is gone.
func (w *Writes) Forget(key client.ObjectKey) { w.last.Delete(key) }
