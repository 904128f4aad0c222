package controllerstate

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Backoff doubles the wait before each retry of an object, from 20 ms to half a second. The zero value is ready to use and safe for
// concurrent use.
type Backoff struct {
	looks ByObject[int]
}

// Next returns how long to wait before the next look: first 20 ms, then twice as long each time, up to half a second.
func (b *Backoff) Next(key client.ObjectKey) time.Duration {
	return pauseBefore(b.looks.Update(key, func(looks int) int { return looks + 1 }))
}

// Reset starts again with the shortest wait. Call it when a look has succeeded, and when the object is gone.
func (b *Backoff) Reset(key client.ObjectKey) { b.looks.Forget(key) }
