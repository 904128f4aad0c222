package controllerstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBackoff(t *testing.T) {
	var b Memory[int]
	next := func(n int) (waits []time.Duration) {
		for range n {
			waits = append(waits, b.Conflict(owner))
		}
		return waits
	}
	ms := time.Millisecond
	if diff := cmp.Diff([]time.Duration{20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 500 * ms, 500 * ms}, next(7)); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	for range 100 {
		b.Conflict(owner)
	}
	if got := b.Conflict(owner); got != 500*ms {
		t.Errorf("after many looks the wait is %s", got)
	}
	if got := b.Conflict(another); got != 20*ms {
		t.Errorf("the first wait of another object is %s", got)
	}
	b.NoConflict(owner)
	if diff := cmp.Diff([]time.Duration{20 * ms, 40 * ms}, next(2)); diff != "" {
		t.Errorf("waits after a reset (-want +got):\n%s", diff)
	}
}
