package bench

import (
	"context"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
)

// measure lets a library check all shoots in a new process, and returns what that costs.
func (w *world) measure(b *testing.B, name string, latencies func(*testing.B, *world, *watcher) []time.Duration) figures {
	b.Helper()
	tell("%s checks %d objects", name, len(w.shoots))
	l := launch(b, name)
	defer l.end(b)
	l.fill(b, w.Config)
	eyes, stop := w.look(b)
	defer stop()

	f := figures{library: name, objects: len(w.shoots), window: *window}
	empty, idle := l.weigh(b), l.count(b)
	f.initial = w.initialPass(b, l, eyes)
	f.initialCPU = l.count(b).CPU - idle.CPU
	// Some objects may still be queued for the second of several events.
	pause(b.Context(), time.Second)

	before, server := l.count(b), w.serverCPU(b)
	pause(b.Context(), f.window)
	after := l.count(b)
	f.steadyCPU, f.serverCPU = after.CPU-before.CPU, w.serverCPU(b)-server
	f.requests, f.writes = after.Requests-before.Requests, after.Writes-before.Writes

	full := l.weigh(b)
	f.caches, f.heap, f.resident = empty.Heap, full.Heap-empty.Heap, full.Resident-empty.Resident
	f.latencies = latencies(b, w, eyes)
	return f
}

// initialPass returns when the conditions of all shoots are stored.
func (w *world) initialPass(b *testing.B, l *library, eyes *watcher) time.Duration {
	b.Helper()
	stored := map[expectation]<-chan time.Time{}
	for _, shoot := range w.shoots {
		healthy := expectation{shoot, gardencorev1beta1.ConditionTrue}
		stored[healthy] = eyes.expect(healthy)
	}
	began := time.Now()
	l.start(b)
	last := began
	for healthy, at := range stored {
		seen, err := await(b.Context(), healthy, at)
		must(b, err)
		if seen.After(last) {
			last = seen
		}
	}
	return last.Sub(began)
}

// pause waits for something that does not announce its end.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
