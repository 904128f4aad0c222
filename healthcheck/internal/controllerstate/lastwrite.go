// Code generated from internal/controllerstate/lastwrite.go by make generate. DO NOT EDIT.

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

// lastWrite is our own last write of an object, until the cache shows it.
type lastWrite struct {
	version string
	// looks counts the looks that did not find it in the cache, and since is the time of the first, or when a clock that was ahead was set back.
	looks int
	since time.Time
}

// wait returns how long to wait before looking again at an object that the cache shows; 0 if it need not, and then the write is forgotten.
func (w *lastWrite) wait(shown client.Object, now time.Time) time.Duration {
	if w.looks == 0 || now.Before(w.since) {
		w.since = now
	}
	if !older(shown, w.version) || now.Sub(w.since) > patience {
		*w = lastWrite{}
		return 0
	}
	w.looks++
	return pauseBefore(w.looks)
}

// older reports whether the cached object of a name is older than a write under that name. It may be an earlier or a later object
// of that name: resource versions of one kind are ordered across objects.
func older(shown client.Object, version string) bool {
	order, err := resourceversion.CompareResourceVersion(shown.GetResourceVersion(), version)
	return err == nil && order < 0
}

// pauseBefore returns the wait before the n-th look, counted from 1.
func pauseBefore(n int) time.Duration { return min(Retry<<min(n-1, 16), lastLook) }
