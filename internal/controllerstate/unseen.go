package controllerstate

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Expected is a write of ours on behalf of another object, its owner, that the cache does not show yet.
type Expected struct {
	// Object is what the API server returned.
	Object client.Object
	// Since is when it was written, or read past the cache.
	Since time.Time
}

// ExpectFor remembers an object that was written on behalf of owner, as returned by the API server.
func (m *Memory[V]) ExpectFor(owner client.ObjectKey, obj client.Object, now time.Time) {
	m.with(owner, func(one *memory[V]) {
		if one.unseen == nil {
			one.unseen = map[client.ObjectKey]Expected{}
		}
		one.unseen[client.ObjectKeyFromObject(obj)] = Expected{obj, now}
	})
}

// Drop forgets one object that is gone.
func (m *Memory[V]) Drop(owner client.ObjectKey, obj client.Object) {
	m.with(owner, func(one *memory[V]) {
		maps.DeleteFunc(one.unseen, func(key client.ObjectKey, e Expected) bool {
			return key == client.ObjectKeyFromObject(obj) && e.Object.GetUID() == obj.GetUID()
		})
	})
}

// Unseen returns the objects that were written on behalf of owner and that the cache does not show yet, by name. The function shown
// returns an object from the cache, or nil. Unseen forgets objects that the cache shows.
func (m *Memory[V]) Unseen(owner client.ObjectKey, shown func(client.ObjectKey) client.Object) (all []Expected) {
	m.with(owner, func(one *memory[V]) {
		maps.DeleteFunc(one.unseen, func(key client.ObjectKey, e Expected) bool {
			obj := shown(key)
			return obj != nil && !older(obj, e.Object.GetResourceVersion())
		})
		all = slices.SortedFunc(maps.Values(one.unseen), func(a, b Expected) int {
			return cmp.Or(cmp.Compare(a.Object.GetNamespace(), b.Object.GetNamespace()), cmp.Compare(a.Object.GetName(), b.Object.GetName()))
		})
	})
	return all
}
