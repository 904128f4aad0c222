package cycle_test

import (
	"slices"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

const nodeFinalizer = "test.example.dev/stays"

// obstacle keeps a cycle in a phase until it is lifted.
type obstacle struct {
	set, lift func(*machine)
	// power is the ability that an operator needs for it, if not every operator has it.
	power string
}

// obstacles are keyed by the phase in which they keep a cycle.
var obstacles = map[v1alpha1.Phase]obstacle{
	v1alpha1.Pending: {
		set:  func(m *machine) { m.annotateHost(metal3v1.PausedAnnotation, "") },
		lift: func(m *machine) { m.unannotateHost(metal3v1.PausedAnnotation) },
	},
	v1alpha1.PoweringOff: {
		set:   func(m *machine) { m.Set(baremetal.Faults{Busy: true}) },
		lift:  func(m *machine) { m.Set(baremetal.Faults{}) },
		power: "a BMC that is locked",
	},
	v1alpha1.Fenced: {
		set:  func(m *machine) { m.cluster.set(func(c *cluster) { c.down = true }) },
		lift: func(m *machine) { m.cluster.set(func(c *cluster) { c.down = false }) },
	},
	v1alpha1.Isolating: {
		set:  func(m *machine) { m.finalizeNode(nodeFinalizer) },
		lift: func(m *machine) { m.finalizeNode() },
	},
	v1alpha1.PoweringOn: {
		set:   func(m *machine) { m.Set(baremetal.Faults{OnTakes: time.Minute}) },
		lift:  func(m *machine) { m.Set(baremetal.Faults{}); m.passes(time.Minute) },
		power: "power that takes time",
	},
	v1alpha1.WaitingForNode: {
		set:  func(m *machine) { m.Set(baremetal.Faults{BootTakes: time.Minute}) },
		lift: func(m *machine) { m.Set(baremetal.Faults{}); m.passes(time.Minute) },
	},
	v1alpha1.Restoring: {
		set:  func(m *machine) { m.cluster.set(func(c *cluster) { c.unpatchable = true }) },
		lift: func(m *machine) { m.cluster.set(func(c *cluster) { c.unpatchable = false }) },
	},
}

// finalizeNode sets finalizers that keep the Node, if it exists, from being removed.
func (m *machine) finalizeNode(finalizers ...string) {
	m.Helper()
	if node := m.findNode(); node != nil {
		m.change(node, func(o client.Object) { o.SetFinalizers(finalizers) })
	}
}

// late are the phases in which the Node may be out of service.
var late = []v1alpha1.Phase{v1alpha1.Isolating, v1alpha1.PoweringOn, v1alpha1.WaitingForNode, v1alpha1.Restoring}

// inEachPhase runs a test in each phase of a cycle.
func inEachPhase(t *testing.T, happens func(m *machine, phase v1alpha1.Phase)) {
	t.Helper()
	for phase, obstacle := range obstacles {
		t.Run(string(phase), func(t *testing.T) {
			if obstacle.power != "" {
				onlySimulated(t, obstacle.power)
			}
			m := newHarness(t, reboot.ClusterAPIKind).machine("m", plan{owned: true})
			obstacle.set(m)
			m.request(v1alpha1.RebootSettings{})
			m.reaches(phase)
			for range 10 {
				m.turn()
			}
			if got := m.phase(); got != phase {
				t.Fatalf("the phase is %s, want %s: %s", got, phase, m.state())
			}
			happens(m, phase)
		})
	}
}

// TestMachineDeleted: the deletion of the Machine ends the cycle at once, even if it takes long. The controllers release
// the host, and touch neither it nor the Node any more.
func TestMachineDeleted(t *testing.T) {
	t.Parallel()
	inEachPhase(t, func(m *machine, phase v1alpha1.Phase) {
		touched := m.touchedNodes()
		if slices.Contains(late, phase) {
			// Its deletion takes long.
			m.change(m.get(), func(o client.Object) { o.SetFinalizers([]string{"test.example.dev/stays"}) })
		}
		if err := m.client.Delete(m.ctx, m.get()); err != nil {
			m.Fatal(err)
		}
		m.ends(v1alpha1.Aborted, v1alpha1.ReasonMachineGone)
		if m.touchedNodes() != touched {
			m.Error("a Node was touched after its Machine was deleted")
		}
		obstacles[phase].lift(m)
		m.awaits("the machine is on", m.Running)
	})
}
