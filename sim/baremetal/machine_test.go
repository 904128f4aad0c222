package baremetal

import (
	"context"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestTruth: the machine is off until minute 1, on until 3, off until 5, and then on.
func TestTruth(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := clocktesting.NewFakeClock(start)
	h := newHost(t.Context(), client.ObjectKey{Name: "host"}, Options{Clock: clock}.withDefaults())
	t.Cleanup(h.close)
	minute := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
	for _, press := range []struct {
		minute int
		on     bool
	}{{1, true}, {2, true}, {3, false}, {4, false}, {5, true}} {
		clock.SetTime(minute(press.minute))
		h.Press(press.on)
	}
	for n, want := range []bool{true, false, false, true, true, false, false} {
		if got := h.OffAt(minute(n)); got != want {
			t.Errorf("off in minute %d: %t, want %t", n, got, want)
		}
	}
	for _, test := range []struct {
		from, to int
		want     bool
	}{{0, 0, true}, {0, 1, false}, {1, 3, false}, {2, 4, false}, {3, 4, true}, {4, 5, false}, {3, 9, false}, {0, 4, false}} {
		if got := h.OffDuring(minute(test.from), minute(test.to)); got != test.want {
			t.Errorf("off from minute %d to %d: %t, want %t", test.from, test.to, got, test.want)
		}
	}
	if len(h.History()) != 3 || h.Boots() != 2 || h.PowerCycles() != 1 || !h.Running() {
		t.Errorf("boots %d, power cycles %d, history %v", h.Boots(), h.PowerCycles(), h.History())
	}
}

func TestMachineIsOnUntilItsProgramHasReturned(t *testing.T) {
	h := newHost(t.Context(), client.ObjectKey{Name: "host"}, Options{}.withDefaults())
	started, ending, release, off := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	h.Runs(func(ctx context.Context, _ Boot) {
		close(started)
		<-ctx.Done()
		close(ending)
		<-release
	})
	h.Press(true)
	<-started
	go func() {
		defer close(off)
		h.Press(false)
	}()
	<-ending
	if !h.Running() {
		t.Error("the machine is off, and its program has not returned")
	}
	close(release)
	<-off
	if h.Running() {
		t.Error("the machine is on after it was switched off")
	}
}
