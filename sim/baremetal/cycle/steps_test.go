package cycle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// asks reports whether the Machine has an annotation.
func (m *machine) asks(key string) bool {
	m.Helper()
	_, ok := m.get().GetAnnotations()[key]
	return ok
}

// holds asks for a cycle that stops when the host is off.
func (m *machine) holds() {
	m.Helper()
	m.attempt(m.name, v1alpha1.RebootRemediationSpec{Until: v1alpha1.StepPowerOff})
}

// TestStepsAlone asks for the steps one after the other. Each annotation is removed when its step is done, and the host
// stays off until somebody asks for the last step.
func TestStepsAlone(t *testing.T) {
	t.Parallel()
	for name, kind := range flavours {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, kind)
			m := s.machine("m", plan{})
			m.annotate(plainKey+"/PowerOff", "")
			m.holds()
			m.becomes("power-off is done", func() bool { return !m.asks(plainKey + "/PowerOff") })
			if m.Running() || m.touchedNodes() != 0 || m.record().Status.Phase != v1alpha1.Holding {
				t.Errorf("after power-off, running is %t, Nodes touched are %d: %s", m.Running(), m.touchedNodes(), s.state())
			}
			s.pace = syncPeriod
			for range 20 {
				s.turn()
			}
			s.pace = tick
			if m.Running() || !m.held(m.name) || m.record().Status.Phase != v1alpha1.Holding {
				t.Errorf("the host did not stay off: %s", s.state())
			}

			m.annotate(plainKey+"/Delete", "")
			m.becomes("deletion is done", func() bool { return !m.asks(plainKey + "/Delete") })
			if m.Running() || m.findNode() != nil {
				t.Errorf("after deletion, running is %t, and the Node is %v", m.Running(), m.findNode())
			}

			m.annotate(plainKey+"/PowerOn", "")
			m.ends(v1alpha1.Succeeded, "Succeeded")
			m.mustHaveCycled(1)
			m.mustHaveAll()
			want := []string{"Pending", "PoweringOff", "Fenced", "Holding", "Fenced", "Isolating", "Holding", "PoweringOn", "WaitingForNode", "Restoring", "Succeeded"}
			if diff := cmp.Diff(want, s.log.all()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

var flavours = map[string]schema.GroupVersionKind{"Cluster API": reboot.ClusterAPIKind, "OpenShift": reboot.OpenShiftKind}
