package controllerstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBackoff(t *testing.T) {
	var b Backoff
	next := func(n int) (waits []time.Duration) {
		for range n {
			waits = append(waits, b.Next(owner))
		}
		return waits
	}
	ms := time.Millisecond
	if diff := cmp.Diff([]time.Duration{20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 500 * ms, 500 * ms}, next(7)); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	for range 100 {
		b.Next(owner)
	}
	if got := b.Next(owner); got != 500*ms {
		t.Errorf("after many looks the wait is %s", got)
	}
	if got := b.Next(another); got != 20*ms {
		t.Errorf("the first wait of another object is %s", got)
	}
	b.Reset(owner)
	if diff := cmp.Diff([]time.Duration{20 * ms, 40 * ms}, next(2)); diff != "" {
		t.Errorf("waits after a reset (-want +got):\n%s", diff)
	}
	b.Reset(owner)
	b.Reset(another)
	if got := b.looks.All(); len(got) > 0 {
		t.Errorf("kept is %v", got)
	}
}
