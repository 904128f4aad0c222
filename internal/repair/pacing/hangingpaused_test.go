package pacing_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// TestHangingDeletionUnderAPause: a person pauses, or puts on hold, the one Machine whose deletion hangs. The other machines of the domain go on all
// the same: Cluster API does not delete a Machine that is paused, so that deletion cannot end.
func TestHangingDeletionUnderAPause(t *testing.T) {
	for _, builtIn := range []bool{false, true} {
		deleted := now.Add(-26 * time.Hour)
		f := settle(t, hanging(builtIn, deleted), deleted)
		f = settle(t, f, deleted.Add(time.Hour))
		f.Safety.Paused = "The Machine has the annotation cluster.x-k8s.io/paused"
		f = settle(t, f, deleted.Add(2*time.Hour))
		f = settle(t, f, now)
		repair, _ := pacing.RepairOf(f.Record, both)
		pace := pacing.Of([]pacing.Repair{repair}, now)
		if eligible, delayed := pace.Order([]pacing.Candidate{{UID: "other", Domains: []pacing.Domain{{Key: "Owner/o", Name: "MachineSet set"}}}}); len(eligible) != 1 {
			t.Errorf("built-in plan %t: 25 hours after the deletion became overdue, another machine of the domain waits: %s, until %s", builtIn, delayed[0].Why, delayed[0].Until)
		}
	}
}
