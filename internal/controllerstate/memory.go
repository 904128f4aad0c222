// Package controllerstate is what a process remembers between two looks at an object: its own writes that the cache does not show yet, which
// failures it has reported, and which writes may wait. It only delays work; no decision depends on it, so a restart changes none.
package controllerstate

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Memory is what one controller remembers of each of its objects, with a value of its own; the zero value means none. The zero Memory is
// ready to use and safe for concurrent use.
type Memory[V comparable] struct {
	mu sync.Mutex
	of map[client.ObjectKey]*memory[V]
}

// memory is all about one object.
type memory[V comparable] struct {
	own       V
	written   lastWrite
	conflicts int
	pause     pause
	failures  map[string]Failure
	unseen    map[client.ObjectKey]Expected
}

// with lets do change what is remembered of an object. Nothing is kept of an object about which there is nothing.
func (m *Memory[V]) with(key client.ObjectKey, do func(*memory[V])) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, known := m.of[key]
	if !known {
		one = &memory[V]{}
	}
	do(one)
	var none V
	switch {
	case one.own == none && one.written == lastWrite{} && one.conflicts == 0 && one.pause == pause{} && len(one.failures) == 0 && len(one.unseen) == 0:
		delete(m.of, key)
	case !known:
		if m.of == nil {
			m.of = map[client.ObjectKey]*memory[V]{}
		}
		m.of[key] = one
	}
}

// Get returns the value of an object.
func (m *Memory[V]) Get(key client.ObjectKey) V { return m.Update(key, func(*V) {}) }

// Update atomically changes the value of an object, and returns it.
func (m *Memory[V]) Update(key client.ObjectKey, change func(*V)) (value V) {
	m.with(key, func(one *memory[V]) {
		change(&one.own)
		value = one.own
	})
	return value
}

// Set replaces the value of an object.
func (m *Memory[V]) Set(key client.ObjectKey, value V) { m.Update(key, func(own *V) { *own = value }) }

// All returns the values of all objects that have one.
func (m *Memory[V]) All() map[client.ObjectKey]V {
	m.mu.Lock()
	defer m.mu.Unlock()
	var none V
	all := make(map[client.ObjectKey]V, len(m.of))
	for key, one := range m.of {
		if one.own != none {
			all[key] = one.own
		}
	}
	return all
}

// Forget drops all about an object that is gone.
func (m *Memory[V]) Forget(key client.ObjectKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, key)
}

// Expect remembers obj as returned by the API server for our write, until the cache shows it. A controller that looks before that would
// judge by the old state: it would repeat the write and the event.
func (m *Memory[V]) Expect(obj client.Object) {
	m.with(client.ObjectKeyFromObject(obj), func(one *memory[V]) { one.written = lastWrite{version: obj.GetResourceVersion()} })
}

// Wait returns how long to wait before looking again if obj, read from the cache, is older than our last write of it. It returns 0 if it is not, or if
// the cache has been behind for two minutes. Then it forgets the write.
func (m *Memory[V]) Wait(obj client.Object, now time.Time) (wait time.Duration) {
	m.with(client.ObjectKeyFromObject(obj), func(one *memory[V]) { wait = one.written.wait(obj, now) })
	return wait
}

// Conflict returns how long to wait before the next look because the cache is behind: first 20 ms, then twice as long each time, up to half a
// second.
func (m *Memory[V]) Conflict(key client.ObjectKey) (wait time.Duration) {
	m.with(key, func(one *memory[V]) {
		one.conflicts++
		wait = pauseBefore(one.conflicts)
	})
	return wait
}

// NoConflict starts again with the shortest wait, after a look that has succeeded.
func (m *Memory[V]) NoConflict(key client.ObjectKey) {
	m.with(key, func(one *memory[V]) { one.conflicts = 0 })
}
