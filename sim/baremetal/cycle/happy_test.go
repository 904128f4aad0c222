package cycle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var fullCycle = []string{"Pending", "PoweringOff", "Fenced", "Isolating", "PoweringOn", "WaitingForNode", "Restoring", "Succeeded"}

func TestFullCycle(t *testing.T) {
	t.Parallel()
	for name, kind := range flavours {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, kind)
			m := s.machine("m", plan{})
			cycles(m)
			record := m.ends(v1alpha1.Succeeded, "Succeeded")
			m.mustHaveCycled(1)
			m.mustHaveAll()
			if m.findNode().UID == m.node.UID {
				t.Error("the Node was not deleted")
			}
			if diff := cmp.Diff(fullCycle, s.log.all()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			m.mustTellHistory(record.Status)
			if len(s.brain.errors) > 0 {
				t.Errorf("there were errors: %v", s.brain.errors)
			}
		})
	}
}

// mustTellHistory fails unless the record has all its times, in order.
func (m *machine) mustTellHistory(s v1alpha1.RebootRemediationStatus) {
	m.Helper()
	if s.PendingRebootSince == nil || s.KeySince == nil || s.PoweredOffAt == nil || s.IsolatedAt == nil ||
		s.PowerOnReleasedAt == nil || s.LastPoweredOn == nil || s.NodeBackAt == nil || s.FinishedAt == nil {
		m.Fatalf("times are missing in %+v", s)
	}
	last := s.PendingRebootSince
	for _, at := range []*metav1.Time{s.KeySince, s.PoweredOffAt, s.IsolatedAt, s.PowerOnReleasedAt, s.LastPoweredOn, s.NodeBackAt, s.FinishedAt} {
		if at.Before(last) {
			m.Errorf("the times are not in order: %+v", s)
		}
		last = at
	}
	if s.KeysLost != 0 || s.Node == nil || s.Node.UID != m.node.UID || s.Node.Backup != nil || s.Node.OutOfService {
		m.Errorf("the record is %+v, node %+v", s, s.Node)
	}
}
