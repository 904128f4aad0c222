package controllerstate

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Throttle spaces out writes of an object that may wait. The zero value is ready to use and safe for concurrent use.
type Throttle struct {
	of ByObject[pause]
}

type pause struct {
	since time.Time
	// waits says that a write is waiting for the end of the pause.
	waits bool
}

// Begin begins a pause before the next write, after a write just now.
func (t *Throttle) Begin(key client.ObjectKey, now time.Time) { t.of.Set(key, pause{since: now}) }

// Yield begins a pause before the next write to let something else go first. It does not delay a write that is waiting
// already, because other things may come again and again.
func (t *Throttle) Yield(key client.ObjectKey, now time.Time) {
	t.of.Update(key, func(p pause) pause {
		if !p.waits {
			p.since = now
		}
		return p
	})
}

// Wait returns how long the next write must wait, given the pause between two writes; 0 if it need not.
func (t *Throttle) Wait(key client.ObjectKey, between time.Duration, now time.Time) (wait time.Duration) {
	t.of.Update(key, func(p pause) pause {
		if !p.since.IsZero() {
			wait = max(0, p.since.Add(between).Sub(now))
		}
		p.waits = wait > 0
		return p
	})
	return wait
}

// Forget drops the pause of an object that is gone.
func (t *Throttle) Forget(key client.ObjectKey) { t.of.Forget(key) }
