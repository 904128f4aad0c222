// Package controllerstate is what the engine remembers of its own writes between two looks at an object. It only delays work.
package controllerstate

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Expectations are our own last writes of objects, each kept until the cache shows it. An engine that looks before that would
// judge by the old state: it would repeat the write and the event. The zero value is ready to use and safe for concurrent use.
type Expectations struct {
	mu   sync.Mutex
	last map[client.ObjectKey]*lastWrite
}

// Expect remembers obj as returned by the API server for our write.
func (e *Expectations) Expect(obj client.Object) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last == nil {
		e.last = map[client.ObjectKey]*lastWrite{}
	}
	e.last[client.ObjectKeyFromObject(obj)] = &lastWrite{version: obj.GetResourceVersion()}
}

// Wait returns how long to wait before looking again if obj, read from the cache, is older than our last write of it. It returns 0 if it is not, or if
// the cache has been behind for two minutes. Then it forgets the write.
func (e *Expectations) Wait(obj client.Object, now time.Time) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := client.ObjectKeyFromObject(obj)
	last, written := e.last[key]
	if !written {
		return 0
	}
	wait := last.wait(obj, now)
	if wait == 0 {
		delete(e.last, key)
	}
	return wait
}

// Forget drops the write of an object that is gone.
func (e *Expectations) Forget(key client.ObjectKey) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.last, key)
}
