// Code generated from internal/controllerstate/byobject.go by make generate. DO NOT EDIT.

// Package controllerstate is what a process remembers between two looks at an object: its own writes that the cache does not show yet, which
// failures it has reported, and which writes may wait. It only delays work; no decision depends on it, so a restart changes none.
//
// The controllers and the health check engine use it.
package controllerstate

import (
	"maps"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ByObject keeps a value for each object; the zero value means none. The zero ByObject is ready to use and safe for concurrent use.
type ByObject[V comparable] struct {
	mu sync.Mutex
	of map[client.ObjectKey]V
}

// Get returns the value of an object.
func (b *ByObject[V]) Get(key client.ObjectKey) V {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of[key]
}

// Set replaces the value of an object.
func (b *ByObject[V]) Set(key client.ObjectKey, value V) {
	b.Update(key, func(V) V { return value })
}

// Update atomically replaces the value of an object by the result of change, and returns the new value.
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

// All returns the values of all objects.
func (b *ByObject[V]) All() map[client.ObjectKey]V {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.of)
}

// Forget drops the value of an object that is gone.
func (b *ByObject[V]) Forget(key client.ObjectKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.of, key)
}
