package controllerstate

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pause is that between two writes of an object that may wait.
type pause struct {
	since time.Time
	// waits says that a write is waiting for the end of the pause.
	waits bool
}

// BeginPause begins a pause before the next write, after a write just now.
func (m *Memory[V]) BeginPause(key client.ObjectKey, now time.Time) {
	m.with(key, func(one *memory[V]) { one.pause = pause{since: now} })
}

// Yield begins a pause before the next write to let something else go first. It does not delay a write that is waiting
// already, because other things may come again and again.
func (m *Memory[V]) Yield(key client.ObjectKey, now time.Time) {
	m.with(key, func(one *memory[V]) {
		if !one.pause.waits {
			one.pause.since = now
		}
	})
}

// Paused returns how long the next write must wait, given the pause between two writes; 0 if it need not.
func (m *Memory[V]) Paused(key client.ObjectKey, between time.Duration, now time.Time) (wait time.Duration) {
	m.with(key, func(one *memory[V]) {
		if !one.pause.since.IsZero() {
			wait = max(0, one.pause.since.Add(between).Sub(now))
		}
		one.pause.waits = wait > 0
	})
	return wait
}

// EndPause lets the next write come at once.
func (m *Memory[V]) EndPause(key client.ObjectKey) {
	m.with(key, func(one *memory[V]) { one.pause = pause{} })
}
