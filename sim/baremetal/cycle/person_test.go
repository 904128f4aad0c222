package cycle_test

import (
	"strings"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// TestPersonSwitchedHostOff: a person works on a host, and its machine falls sick. No cycle begins, however long that takes, nothing is written
// to the host, and the record says whom it waits for. When the person lets go of the host, it is cycled.
func TestPersonSwitchedHostOff(t *testing.T) {
	t.Parallel()
	annotated := func(key string) [2]func(*machine) {
		return [2]func(*machine){
			func(m *machine) { m.annotateHost(key, "") }, func(m *machine) { m.unannotateHost(key) },
		}
	}
	wanted := func(on bool) func(*machine) {
		return func(m *machine) { m.changeHost(func(h *metal3v1.BareMetalHost) { h.Spec.Online = on }) }
	}
	tests := map[string]struct {
		// keep and free begin and end what the person does.
		keep [2]func(*machine)
		// off is whether that switches the host off.
		off       bool
		says, why string
	}{
		"by spec.online":      {[2]func(*machine){wanted(false), wanted(true)}, true, "False SuspendedByUser", "spec.online"},
		"by pausing":          {annotated(metal3v1.PausedAnnotation), false, "False HostPaused", "paused"},
		"by detaching":        {annotated(metal3v1.DetachedAnnotation), false, "False HostDetached", "detached"},
		"by a key of another": {annotated(otherKey), true, "False HeldByOthers", plainKey + "/"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, reboot.ClusterAPIKind)
			m := s.machine("m", plan{owned: true})
			keep, free := tt.keep[0], tt.keep[1]
			keep(m)
			if tt.off {
				m.awaits("the host is off", func() bool { return !m.bareMetalHost().Status.PoweredOn })
			}
			m.request(v1alpha1.RebootSettings{})
			m.becomes("it says whom it waits for", func() bool { return m.condition(v1alpha1.ConditionHostAvailable) == tt.says })
			s.passes(10 * syncPeriod)
			m.mustNotHaveBegun(tt.says, tt.why)
			free(m)
			s.pace = tick * 20
			if record := m.ends(v1alpha1.Succeeded, "Succeeded"); record.Status.BeganAt == nil {
				t.Error("it ended well, and never began")
			}
			m.awaits("the machine is on", m.Running)
			m.mustHaveAll()
		})
	}
}

// mustNotHaveBegun fails unless a cycle waits for its host with this condition, and has not touched anything.
func (m *machine) mustNotHaveBegun(says, why string) {
	m.Helper()
	record := m.record()
	host := meta.FindStatusCondition(record.Status.Conditions, v1alpha1.ConditionHostAvailable)
	if record.Status.Phase != v1alpha1.Pending || record.Status.BeganAt != nil || m.condition(v1alpha1.ConditionHostAvailable) != says {
		m.Errorf("it does not wait: %s", m.state())
	}
	if !strings.Contains(host.Message, why) {
		m.Errorf("the message is %q, want %q in it", host.Message, why)
	}
	for _, w := range m.wire.recorded() {
		if strings.Contains(w, "baremetalhosts") {
			m.Errorf("the host was written: %s", w)
		}
	}
	m.mustBeUntouched()
}
