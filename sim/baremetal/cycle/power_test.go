package cycle_test

import (
	"slices"
	"strings"
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
		before, during func(*machine)
		host           string
	}{
		"BMC out of reach":       {func(m *machine) { m.Set(baremetal.Faults{Unreachable: true}) }, nil, "False PowerManagementError"},
		"power unknown":          {func(m *machine) { m.Set(baremetal.Faults{PowerUnknown: true}) }, nil, "False PowerManagementError"},
		"power-off fails":        {func(m *machine) { m.Set(baremetal.Faults{FailOff: 1000}) }, nil, "False PowerManagementError"},
		"BMC locked":             {func(m *machine) { m.Set(baremetal.Faults{Busy: true}) }, nil, "True HostAvailable"},
		"the operator is gone":   {stopOperator, nil, "True HostAvailable"},
		"an old state says off":  {staleOff, nil, "True HostAvailable"},
		"paused on the way":      {slowOff, hostIs(metal3v1.PausedAnnotation), "False HostPaused"},
		"detached on the way":    {slowOff, hostIs(metal3v1.DetachedAnnotation), "False HostDetached"},
		"paused when it was off": {slowOff, pauseWhenOff, "False HostPaused"},
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
			if tt.during != nil {
				tt.during(m)
			}
			// The error disappears from the status while the operator tries again.
			m.becomes("HostAvailable is "+tt.host, func() bool { return m.condition(v1alpha1.ConditionHostAvailable) == tt.host })
			s.passes(90 * time.Second)
			if phase := m.phase(); phase != v1alpha1.PoweringOff {
				t.Errorf("before the deadline the phase is %s", phase)
			}
			s.passes(4 * time.Minute)
			if strings.HasSuffix(tt.host, "Paused") || strings.HasSuffix(tt.host, "Detached") {
				m.ends(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable)
				m.mustBeUntouched()
				return
			}
			m.ends(v1alpha1.Failed, v1alpha1.ReasonPowerOffTimedOut)
			m.mustBeUntouched()
			if m.Boots() > boots+1 {
				t.Errorf("it was cycled: %v", m.History())
			}
		})
	}
}

func hostIs(annotation string) func(*machine) {
	return func(m *machine) { m.annotateHost(annotation, "") }
}

func stopOperator(m *machine) {
	m.Helper()
	if err := m.operator.Stop(); err != nil {
		m.Fatal(err)
	}
}

func slowOff(m *machine) { m.Set(baremetal.Faults{OffTakes: 20 * time.Second}) }

// pauseWhenOff pauses the host so that its status still says on while its machine is off.
func pauseWhenOff(m *machine) {
	m.annotateHost(metal3v1.PausedAnnotation, "")
	m.awaits("the machine is off", func() bool { return !m.Running() })
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

// TestHostWasOff: while somebody else keeps a host off, no cycle begins. A host that is off when a cycle begins at last must be proven off anew.
func TestHostWasOff(t *testing.T) {
	s := newHarness(t, reboot.ClusterAPIKind)
	s.pace = 20 * tick // It waits for minutes.
	m := s.machine("m", plan{})
	m.annotateHost(otherKey, `{"mode":"hard"}`)
	m.awaits("the host is off", func() bool { return !m.bareMetalHost().Status.PoweredOn })
	cycles(m)
	m.becomes("held by others", func() bool { return m.condition(v1alpha1.ConditionHostAvailable) == "False HeldByOthers" })
	s.passes(syncPeriod)
	if m.phase() != v1alpha1.Pending || m.held("m") {
		t.Errorf("it did not wait for who holds the host off: %s", s.state())
	}
	stopOperator(m)
	m.unannotateHost(otherKey)
	m.becomes("our key", func() bool { return m.held("m") })
	s.passes(30 * time.Second)
	m.mustBeUntouched()
	if err := s.operator.Start(s.ctx); err != nil {
		t.Fatal(err)
	}
	m.ends(v1alpha1.Succeeded, "Succeeded")
	m.mustHaveCycled(1)
	m.mustHaveAll()
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
		"a pause": {baremetal.Faults{OffTakes: 20 * time.Second}, func(m *machine) {
			m.annotateHost(metal3v1.PausedAnnotation, "")
			m.passes(2 * time.Minute)
			m.unannotateHost(metal3v1.PausedAnnotation)
		}, 1},
		"a detour": {baremetal.Faults{OffTakes: 20 * time.Second}, func(m *machine) {
			m.annotateHost(metal3v1.DetachedAnnotation, "")
			m.passes(2 * time.Minute)
			m.unannotateHost(metal3v1.DetachedAnnotation)
		}, 1},
		"a lost key": {baremetal.Faults{OffTakes: 20 * time.Second}, func(m *machine) { m.loseKey() }, 1},
		"firmware":   {baremetal.Faults{Servicing: 3 * time.Minute}, nil, -1},
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

// TestKeyLostWhileOff: the host comes on just before its Node would be deleted. The Node stays until the host is off again.
func TestKeyLostWhileOff(t *testing.T) {
	s := newHarness(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	s.machineAgainst(m, v1alpha1.Fenced)
	cycles(m)
	m.reaches(v1alpha1.Fenced)
	m.loseKey()
	m.awaits("the host is on", func() bool { return m.bareMetalHost().Status.PoweredOn })
	m.becomes("the key is missed", func() bool { return m.record().Status.KeysLost == 1 })
	m.reaches(v1alpha1.Fenced)
	s.machineFree(m, v1alpha1.Fenced)
	m.ends(v1alpha1.Succeeded, "Succeeded")
	m.mustHaveCycled(2)
	m.mustHaveAll()
	if lost := m.record().Status.KeysLost; lost != 1 {
		t.Errorf("%d keys lost, want 1", lost)
	}
}

// TestSuspendedByUser: somebody else wants the host to stay off.
func TestSuspendedByUser(t *testing.T) {
	onlySimulated(t, "power that takes time")
	s := newHarness(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	wanted := func(on bool) { m.changeHost(func(h *metal3v1.BareMetalHost) { h.Spec.Online = on }) }
	wanted(false)
	cycles(m)
	m.becomes("suspended", func() bool { return m.condition(v1alpha1.ConditionHostAvailable) == "False SuspendedByUser" })
	s.passes(10 * syncPeriod)
	if m.phase() != v1alpha1.Pending || m.held("m") {
		t.Errorf("it did not wait: %s", s.state())
	}
	wanted(true)
	m.awaits("the host is on", func() bool { return m.bareMetalHost().Status.PoweredOn })
	m.Set(baremetal.Faults{OffTakes: 10 * time.Second})
	m.becomes("our key", func() bool { return m.held("m") })
	wanted(false)
	m.reaches(v1alpha1.PoweringOn)
	s.passes(10 * syncPeriod)
	if m.phase() != v1alpha1.PoweringOn || m.held("m") || m.condition(v1alpha1.ConditionHostAvailable) != "False SuspendedByUser" {
		t.Errorf("it did not wait: %s", s.state())
	}
	wanted(true)
	m.ends(v1alpha1.Succeeded, "Succeeded")
	m.mustHaveCycled(2)
	m.mustHaveAll()
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
