package ladder

import (
	"testing"
	"time"
)

// TestPauseLeavesWhatHasBegun: a request and a deletion go on after the pause as if it had not been.
func TestPauseLeavesWhatHasBegun(t *testing.T) {
	for name, facts := range map[string]Facts{
		"a request":  with(plan(request(), holdStep()), works("request", time.Minute)),
		"a deletion": with(plan(replace(), holdStep()), replacing(time.Minute)),
	} {
		w := &story{f: with(facts, paused), now: noon}
		w.until(2 * time.Hour)
		if attempt := AtWork(w.f.Record); len(w.acts) > 0 || attempt == nil || !HasSlot(w.f.Record) {
			t.Errorf("%s: it does %v: %+v", name, w.acts, w.f.Record.Status)
		}
	}
}
