package cycle_test

import (
	"slices"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

const (
	otherKey = plainKey + "/somebody"
)

// once returns settings with short limits.
func once() v1alpha1.RebootSettings {
	return v1alpha1.RebootSettings{PowerOffTimeoutSeconds: new(int32(120)), PowerOnTimeoutSeconds: new(int32(120)), NodeTimeoutSeconds: new(int32(120))}
}

func (m *machine) touchedNodes() int { return m.cluster.touchedNodes() }

// mustBeUntouched fails if the Node was replaced or is out of service.
func (m *machine) mustBeUntouched() {
	m.Helper()
	if node := m.findNode(); m.touchedNodes() != 0 || node == nil || node.UID != m.node.UID {
		m.Errorf("the Node was touched: %v", node)
	}
}

// TestCannotBeFenced: a host never goes off, or cannot be proven off. The Node stays, and the key is removed.
func TestCannotBeFenced(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(*machine)
		host   string
	}{
		"power-off fails":       {func(m *machine) { m.Set(baremetal.Faults{FailOff: 1000}) }, "False PowerManagementError"},
		"the operator is gone":  {stopOperator, "True HostAvailable"},
		"an old state says off": {staleOff, "True HostAvailable"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if name != "the operator is gone" {
				onlySimulated(t, "a host that is like that: "+name)
			}
			s := newHarness(t, reboot.ClusterAPIKind)
			m := s.machine("m", plan{owned: true})
			tt.before(m)
			boots := m.Boots()
			m.request(once())
			m.reaches(v1alpha1.PoweringOff)
			m.becomes("our key", func() bool { return m.held("m") })
			// The error disappears from the status while the operator tries again.
			m.becomes("HostAvailable is "+tt.host, func() bool { return m.condition(v1alpha1.ConditionHostAvailable) == tt.host })
			s.passes(90 * time.Second)
			if phase := m.phase(); phase != v1alpha1.PoweringOff {
				t.Errorf("before the deadline the phase is %s", phase)
			}
			s.passes(4 * time.Minute)
			m.ends(v1alpha1.Failed, v1alpha1.ReasonPowerOffTimedOut)
			m.mustBeUntouched()
			if m.Boots() > boots+1 {
				t.Errorf("it was cycled: %v", m.History())
			}
		})
	}
}

func stopOperator(m *machine) {
	m.Helper()
	if err := m.operator.Stop(); err != nil {
		m.Fatal(err)
	}
}

// staleOff makes a host whose status says off while its machine runs and no operator looks.
func staleOff(m *machine) {
	m.Helper()
	m.annotateHost(otherKey, `{"mode":"hard"}`)
	m.awaits("the host is off", func() bool { return !m.bareMetalHost().Status.PoweredOn })
	stopOperator(m)
	m.unannotateHost(otherKey)
	m.Press(true)
}

// TestOperatorComesBack: the wait for an operator that was down ends when it comes back.
func TestOperatorComesBack(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*machine){"host on": stopOperator, "an old state says off": staleOff} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, reboot.ClusterAPIKind)
			m := s.machine("m", plan{})
			before(m)
			boots := m.Boots()
			cycles(m)
			m.becomes("our key", func() bool { return m.held("m") })
			s.passes(5 * time.Minute)
			m.mustBeUntouched()
			if err := s.operator.Start(s.ctx); err != nil {
				t.Fatal(err)
			}
			m.ends(v1alpha1.Succeeded, "Succeeded")
			m.mustHaveAll()
			if m.Boots() != boots+1 {
				t.Errorf("%d boots, want %d: %v", m.Boots(), boots+1, m.History())
			}
		})
	}
}

// TestTroubleThatPasses: temporary troubles only delay a cycle.
func TestTroubleThatPasses(t *testing.T) {
	t.Parallel()
	onlySimulated(t, "power that takes time or fails")
	tests := map[string]struct {
		faults baremetal.Faults
		during func(*machine)
		cycles int
	}{
		"slow power":                        {baremetal.Faults{OffTakes: time.Minute, OnTakes: 2 * time.Minute, BootTakes: time.Minute}, nil, 1},
		"a failed order":                    {baremetal.Faults{FailOff: 2, FailOn: 2}, nil, 1},
		"a slow eye":                        {baremetal.Faults{Lag: 20 * time.Second}, nil, 1},
		"somebody's soft order comes first": {baremetal.Faults{SoftIgnored: true, OffTakes: time.Second}, nil, 1},
		"a lost key":                        {baremetal.Faults{OffTakes: 20 * time.Second}, func(m *machine) { m.loseKey() }, 1},
		"firmware":                          {baremetal.Faults{Servicing: 3 * time.Minute}, nil, -1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, reboot.ClusterAPIKind)
			m := s.machine("m", plan{owned: true})
			s.passes(time.Minute)
			m.Set(tt.faults)
			if tt.faults.SoftIgnored {
				m.annotateHost(plainKey, `{"mode":"soft"}`)
			}
			m.request(v1alpha1.RebootSettings{})
			m.becomes("our key", func() bool { return m.held("m") })
			if tt.during != nil {
				tt.during(m)
			}
			s.pace = 2 * time.Second
			m.ends(v1alpha1.Succeeded, "Succeeded")
			m.mustHaveAll()
			if tt.cycles >= 0 {
				m.mustHaveCycled(tt.cycles)
			}
			if lost := name == "a lost key"; lost != slices.Contains(s.log.all(), reboot.EventKeyLost) || lost != (m.record().Status.KeysLost == 1) {
				t.Errorf("keys lost: %d, events %v", m.record().Status.KeysLost, s.log.all())
			}
		})
	}
}

// loseKey removes all keys from the host, as the operator sometimes does.
func (m *machine) loseKey() {
	m.Helper()
	m.changeHost(func(h *metal3v1.BareMetalHost) { h.Annotations = nil })
}

// TestDoubtWhileFenced: after a host was proven off, its operator stops looking at it, and somebody presses its button. The Node stays
// until the host is proven off again.
func TestDoubtWhileFenced(t *testing.T) {
	t.Parallel()
	onlySimulated(t, "machines with a button")
	for _, annotation := range []string{metal3v1.PausedAnnotation, metal3v1.DetachedAnnotation} {
		t.Run(annotation, func(t *testing.T) {
			s := newHarness(t, reboot.ClusterAPIKind)
			m := s.machine("m", plan{})
			obstacles[v1alpha1.Fenced].set(m)
			cycles(m)
			m.reaches(v1alpha1.Fenced)
			m.annotateHost(annotation, "")
			m.Press(true)
			obstacles[v1alpha1.Fenced].lift(m)
			s.passes(5 * time.Minute)
			m.mustBeUntouched()
			m.unannotateHost(annotation)
			s.pace = time.Second
			m.ends(v1alpha1.Succeeded, "Succeeded")
			m.mustHaveCycled(2)
			m.mustHaveAll()
		})
	}
}
