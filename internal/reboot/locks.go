package reboot

import (
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// keyedLocks has one lock for each key that somebody locks. The zero value is ready to use.
type keyedLocks struct {
	mu sync.Mutex
	of map[client.ObjectKey]*keyedLock
}

type keyedLock struct {
	sync.Mutex
	// users counts who holds the lock or waits for it.
	users int
}

// lock waits for the lock of a key, and returns what releases it.
func (l *keyedLocks) lock(key client.ObjectKey) (release func()) {
	l.mu.Lock()
	if l.of == nil {
		l.of = map[client.ObjectKey]*keyedLock{}
	}
	one := l.of[key]
	if one == nil {
		one = &keyedLock{}
		l.of[key] = one
	}
	one.users++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.of, key)
		}
	}
}
