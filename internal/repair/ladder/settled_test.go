package ladder

import (
	"testing"
	"time"
)

// TestEachRowComesToRest: whatever a row shows, storing it and deciding again comes to rest within a few writes, and then nothing is
// written again at that time, nor a moment later.
func TestEachRowComesToRest(t *testing.T) {
	for _, tt := range allRows() {
		t.Run(tt.name, func(t *testing.T) {
			f := with(tt.facts)
			stores := 0
			for ; ; stores++ {
				d := Decide(f, noon)
				if !d.Store {
					break
				}
				if stores == 4 {
					t.Fatalf("still writes: %s", inBrief(f, d).Says)
				}
				f.Record.Status = d.Status
			}
			again := Decide(f, noon)
			if again.Store {
				t.Errorf("writes again: %+v", inBrief(f, again))
			}
			later := Decide(f, noon.Add(time.Nanosecond))
			if due := again.RecheckAt; later.Store && (due.IsZero() || due.After(noon.Add(time.Nanosecond))) {
				t.Errorf("writes a moment later: %+v", inBrief(f, later))
			}
		})
	}
}
