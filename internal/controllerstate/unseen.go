package controllerstate

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Unseen are objects that were written on behalf of others, their owners, and that the cache does not show yet. The zero value is
// ready to use and safe for concurrent use.
type Unseen struct {
	mu sync.Mutex
	of map[client.ObjectKey]map[client.ObjectKey]Expected
}

// Expected is a write of ours that the cache does not show yet.
type Expected struct {
	// Object is what the API server returned.
	Object client.Object
	// Since is when it was written, or read past the cache.
	Since time.Time
}

// Expect remembers an object that was written on behalf of owner, as returned by the API server.
func (u *Unseen) Expect(owner client.ObjectKey, obj client.Object, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of == nil {
		u.of = map[client.ObjectKey]map[client.ObjectKey]Expected{}
	}
	if u.of[owner] == nil {
		u.of[owner] = map[client.ObjectKey]Expected{}
	}
	u.of[owner][client.ObjectKeyFromObject(obj)] = Expected{obj, now}
}

// Drop forgets one object that is gone.
func (u *Unseen) Drop(owner client.ObjectKey, obj client.Object) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := client.ObjectKeyFromObject(obj)
	if one, ok := u.of[owner][key]; ok && one.Object.GetUID() == obj.GetUID() {
		delete(u.of[owner], key)
	}
}

// Of returns the objects that were written on behalf of owner and that the cache does not show yet, by name. The function shown
// returns an object from the cache, or nil. Of forgets objects that the cache shows.
func (u *Unseen) Of(owner client.ObjectKey, shown func(client.ObjectKey) client.Object) []Expected {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := u.of[owner]
	maps.DeleteFunc(all, func(key client.ObjectKey, one Expected) bool {
		obj := shown(key)
		return obj != nil && !older(obj, one.Object.GetResourceVersion())
	})
	return slices.SortedFunc(maps.Values(all), func(a, b Expected) int {
		return cmp.Or(cmp.Compare(a.Object.GetNamespace(), b.Object.GetNamespace()), cmp.Compare(a.Object.GetName(), b.Object.GetName()))
	})
}

// Forget drops the objects of an owner that is gone.
func (u *Unseen) Forget(owner client.ObjectKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.of, owner)
}
