// Code generated from internal/recall/byobject.go by make generate. DO NOT EDIT.

// Package recall is what a process remembers between two looks at an object: its own writes that the cache does not show
// yet, what people were told last, and what may wait. It only delays; nothing is decided by it that a restart would decide
// otherwise.
//
// It serves the controllers and the health check engine.
package recall

import (
	"maps"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ByObject keeps a value for each object; the zero value is that there is none. The zero ByObject is ready, and safe for concurrent use.
type ByObject[V comparable] struct {
	mu sync.Mutex
	of map[client.ObjectKey]V
}

// Get returns what is kept for an object.
func (b *ByObject[V]) Get(key client.ObjectKey) V {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of[key]
}

// Set replaces what is kept for an object.
func (b *ByObject[V]) Set(key client.ObjectKey, value V) {
	b.Update(key, func(V) V { return value })
}

// Update replaces what is kept for an object by what is made of it, while nobody else changes anything, and returns that.
func (b *ByObject[V]) Update(key client.ObjectKey, change func(V) V) V {
	b.mu.Lock()
	defer b.mu.Unlock()
	var none V
	value := change(b.of[key])
	if value == none {
		delete(b.of, key)
		return none
	}
	if b.of == nil {
		b.of = map[client.ObjectKey]V{}
	}
	b.of[key] = value
	return value
}

// All returns what is kept for all objects.
func (b *ByObject[V]) All() map[client.ObjectKey]V {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.of)
}

// Forget drops what is kept for an object that is gone.
func (b *ByObject[V]) Forget(key client.ObjectKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.of, key)
}
