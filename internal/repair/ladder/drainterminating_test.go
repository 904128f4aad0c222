package ladder

import (
	"testing"
	"time"
)

// TestDrainTakesTheMarkInADyingCluster: when Sickbay drains, the mark goes from a Machine that stays, also if its Cluster is being deleted.
func TestDrainTakesTheMarkInADyingCluster(t *testing.T) {
	f := with(plan(replace()), works("replace", time.Minute), unmanaged, marked, terminating)
	f.Safety.Unmanaged = Cause{What: Draining}
	for range MaxTurns {
		d := Decide(f, noon)
		if d.Act == WithdrawMark {
			return
		}
		if d.Status.CompletionTime != nil {
			t.Fatalf("the record has ended (%s), and the mark still stands on a Machine that is not being deleted", d.Rule)
		}
		r := *f.Record
		r.Status = d.Status
		f.Record = &r
	}
	t.Fatal("nothing happens")
}
