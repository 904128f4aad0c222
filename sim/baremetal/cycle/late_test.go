package cycle_test

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// TestNodeComesAfterTheEnd: a system hangs until the cycle has ended, and comes up later.
func TestNodeComesAfterTheEnd(t *testing.T) {
	t.Parallel()
	for _, isolation := range []v1alpha1.Isolation{v1alpha1.DeleteNode, v1alpha1.OutOfServiceTaint} {
		t.Run(string(isolation), func(t *testing.T) {
			s := newHarness(t, reboot.ClusterAPIKind)
			m := s.machine("m", plan{})
			m.Set(baremetal.Faults{Hangs: true})
			settings := once()
			settings.Isolation = isolation
			m.request(settings)
			s.pace = tick * 20
			m.ends(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)
			m.Set(baremetal.Faults{})
			m.annotateHost(plainKey, "") // as a person switches it off and on
			m.becomes("the Node has all that it had", func() bool {
				record := m.record()
				return record.Status.Node.Backup == nil && !record.Status.Node.OutOfService
			})
			m.mustHaveAll()
			m.ends(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)
		})
	}
}

// TestNextCycleTakesOver: the next cycle puts back what the last one could not. The old record makes room for the new one,
// which gets its backup.
func TestNextCycleTakesOver(t *testing.T) {
	s := newHarness(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	m.Set(baremetal.Faults{Hangs: true})
	m.annotate(plainKey, "")
	s.pace = v1alpha1.DefaultNodeTimeout / 20
	record := m.ends(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)
	if record.Status.Node.Backup == nil {
		t.Fatalf("there is no backup: %+v", record.Status.Node)
	}
	m.mustBeMarked(true)
	m.Set(baremetal.Faults{})
	s.pace = tick
	m.annotate(plainKey, "")
	m.becomes("the next cycle", func() bool { return m.phase() != v1alpha1.Failed })
	m.ends(v1alpha1.Succeeded, "Succeeded")
	m.mustHaveAll()
	m.mustBeMarked(false)
}

// TestNothingToCycle: a health check finds a machine sick that has no host. Its owner replaces it; if it has none, the
// conditions say so.
func TestNothingToCycle(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*machine){
		"request":  func(m *machine) { m.request(v1alpha1.RebootSettings{}) },
		"a person": annotated,
	} {
		for _, owned := range []bool{true, false} {
			t.Run(name+map[bool]string{true: ", owned", false: ", not owned"}[owned], func(t *testing.T) {
				s := newHarness(t, reboot.ClusterAPIKind)
				m := s.machine("m", plan{noHost: true, neverJoined: true, owned: owned})
				ask(m)
				s.pace = v1alpha1.DefaultPowerOffTimeout / 10
				m.ends(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable)
				want := ""
				if owned && name != "a person" {
					want = waiting
				}
				if got := m.mark(clusterv1.MachineOwnerRemediatedCondition); got != want {
					t.Errorf("OwnerRemediated is %q, want %q", got, want)
				}
			})
		}
	}
}
