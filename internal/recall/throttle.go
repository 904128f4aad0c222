package recall

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Throttle keeps writes of an object apart that may wait. The zero value is ready; it is safe for concurrent use.
type Throttle struct {
	of ByObject[pause]
}

type pause struct {
	since time.Time
	// waits reports that a write waits for the end of the pause.
	waits bool
}

// Begin begins a pause before the next write, as there was one just now.
func (t *Throttle) Begin(key client.ObjectKey, now time.Time) { t.of.Set(key, pause{since: now}) }

// Yield begins a pause before the next write, as something else comes first. A write that waits already is not put off
// once more: what comes first may come again and again.
func (t *Throttle) Yield(key client.ObjectKey, now time.Time) {
	t.of.Update(key, func(p pause) pause {
		if !p.waits {
			p.since = now
		}
		return p
	})
}

// Wait returns how long the next write is to wait if there is to be a pause between two; 0 if it need not.
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

// Forget drops what is kept for an object that is gone.
func (t *Throttle) Forget(key client.ObjectKey) { t.of.Forget(key) }
