package controllerstate

import (
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// Retry is how long to wait before looking again at an object if the cache is behind, at first. Usually the cache catches up within a few
	// milliseconds.
	Retry = 20 * time.Millisecond
	// lastLook limits the wait, which doubles while the cache is behind: thousands of objects may wait for one stalled watch. It is
	// also how late a look may be once the cache has caught up, because the event of our own write triggers no reconcile.
	lastLook = 500 * time.Millisecond
	// patience is how long an object waits for the cache to show our write. A stalled watch is replaced sooner. If etcd was restored from
	// a backup, versions start again at an earlier one, and the cache may never show the write. Then an old state is better than none.
	patience = 2 * time.Minute
)

// Expectations are our own last writes of objects, each kept until the cache shows it. A controller that looks before that would
// judge by the old state: it would repeat the write and the event. The zero value is ready to use and safe for concurrent use.
type Expectations struct {
	last ByObject[write]
}

type write struct {
	version string
	// looks counts the looks that did not find it in the cache, and since is the time of the first, or when a clock that was ahead was set back.
	looks int
	since time.Time
}

// Expect remembers obj as returned by the API server for our write.
func (e *Expectations) Expect(obj client.Object) {
	e.last.Set(client.ObjectKeyFromObject(obj), write{version: obj.GetResourceVersion()})
}

// Wait returns how long to wait before looking again if obj, read from the cache, is older than our last write of it. It returns 0 if it is not, or if
// the cache has been behind for two minutes. Then it forgets the write.
func (e *Expectations) Wait(obj client.Object, now time.Time) (wait time.Duration) {
	e.last.Update(client.ObjectKeyFromObject(obj), func(last write) write {
		if !older(obj, last.version) {
			return write{}
		}
		if last.looks == 0 || now.Before(last.since) {
			last.since = now
		}
		if now.Sub(last.since) > patience {
			return write{}
		}
		last.looks++
		wait = pauseBefore(last.looks)
		return last
	})
	return wait
}

// Forget drops the write of an object that is gone.
func (e *Expectations) Forget(key client.ObjectKey) { e.last.Forget(key) }

// older reports whether the cached object of a name is older than a write under that name. It may be an earlier or a later object
// of that name: resource versions of one kind are ordered across objects.
func older(shown client.Object, version string) bool {
	order, err := resourceversion.CompareResourceVersion(shown.GetResourceVersion(), version)
	return err == nil && order < 0
}

// pauseBefore returns the wait before the n-th look, counted from 1.
func pauseBefore(n int) time.Duration { return min(Retry<<min(n-1, 16), lastLook) }
