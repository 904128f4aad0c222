package simulate

import (
	"slices"
	"testing"
)

// TestEventWords: an event names a few machines, or all of them, and how many slots are in use where there is a limit.
func TestEventWords(t *testing.T) {
	all := []string{"a", "b", "c", "d"}
	for n, want := range []string{"", "a", "a, b", "a, b, c", "a, b and 2 more"} {
		e := Event{Machines: slices.Clone(all[:n]), InFlight: n}
		if got := e.Who(false); got != want || e.Used() != "" {
			t.Errorf("%d machines: %q, %q, want %q", n, got, e.Used(), want)
		}
	}
	e := Event{Machines: all, InFlight: 2, Slots: new(3)}
	if e.Who(true) != "a, b, c, d" || e.Used() != "2 of 3" {
		t.Errorf("got %q, %q", e.Who(true), e.Used())
	}
}
