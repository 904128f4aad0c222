package cycle_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// TestNextCycleTakesOver: the next cycle puts back what the last one could not. The new record
// gets the backup of the old one.
func TestNextCycleTakesOver(t *testing.T) {
	s := newHarness(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	m.Set(baremetal.Faults{Hangs: true})
	cycles(m)
	s.pace = v1alpha1.DefaultNodeTimeout / 20
	record := m.ends(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)
	if record.Status.Node.Backup == nil {
		t.Fatalf("there is no backup: %+v", record.Status.Node)
	}
	m.mustBeMarked(true)
	m.Set(baremetal.Faults{})
	s.pace = tick
	s.passes(time.Second) // The later of two ends decides about the mark.
	m.attempt("m-2", v1alpha1.RebootRemediationSpec{})
	m.ends(v1alpha1.Succeeded, "Succeeded")
	m.mustHaveAll()
	m.mustBeMarked(false)
}
