package cycle_test

import (
	"strings"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// TestNoSuchHost: a machine has no host, or the host is not its own. The record says so, and the controllers touch nothing.
func TestNoSuchHost(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		plan   plan
		change func(*machine)
		host   string
		text   string
	}{
		"no host":           {plan{noHost: true}, nil, "False HostNotFound", "has no annotation metal3.io/BareMetalHost"},
		"of somebody else":  {plan{foreign: true}, nil, "False HostNotOurs", "used by somebody else"},
		"broken annotation": {plan{}, func(m *machine) { m.pointTo("{") }, "False HostNotFound", "must be"},
		"other namespace":   {plan{}, func(m *machine) { m.pointTo("elsewhere/m") }, "False HostNotFound", "must be"},
		"unknown host":      {plan{}, func(m *machine) { m.pointTo(m.namespace + "/none") }, "False HostNotFound", "does not exist"},
		"cannot be off": {plan{host: func(h *metal3v1.BareMetalHost) { h.Spec.DisablePowerOff = true }}, nil,
			"False NotFenceable", "cannot be switched off"},
	}
	for name, tt := range tests {
		for flavour, kind := range flavours {
			t.Run(name+", "+flavour, func(t *testing.T) {
				s := newHarness(t, kind)
				m := s.machine("m", tt.plan)
				if tt.change != nil {
					tt.change(m)
				}
				cycles(m)
				m.becomes("the record says so", func() bool { return m.condition(v1alpha1.ConditionHostAvailable) == tt.host })
				host := meta.FindStatusCondition(m.record().Status.Conditions, v1alpha1.ConditionHostAvailable)
				if !strings.Contains(host.Message, tt.text) {
					t.Errorf("the message is %q, want %q in it", host.Message, tt.text)
				}
				s.pace = v1alpha1.DefaultPowerOffTimeout / 10
				m.ends(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable)
				m.mustBeUntouched()
				m.mustHaveCycled(0)
				for _, w := range s.wire.recorded() {
					if strings.Contains(w, "baremetalhosts") {
						t.Errorf("a host was written: %s", w)
					}
				}
			})
		}
	}
}

// pointTo makes a machine name another host.
func (m *machine) pointTo(host string) {
	m.Helper()
	obj := m.get()
	if !m.openShift() {
		infra := scaffold.MetadataOf(metal3MachineKind)
		if err := m.client.Get(m.ctx, m.key(), infra); err != nil {
			m.Fatal(err)
		}
		obj = infra
	}
	m.change(obj, func(o client.Object) {
		o.SetAnnotations(map[string]string{"metal3.io/BareMetalHost": host})
	})
}

// TestNeverJoined: a machine without a Node is cycled, and then has time to register one.
func TestNeverJoined(t *testing.T) {
	t.Parallel()
	for name, kind := range flavours {
		t.Run(name, func(t *testing.T) {
			m := newHarness(t, kind).machine("m", plan{neverJoined: true})
			cycles(m)
			m.ends(v1alpha1.Succeeded, "Succeeded")
			m.mustHaveCycled(1)
			if m.touchedNodes() != 0 || m.findNode() == nil {
				t.Errorf("Nodes touched: %d, the Node: %v", m.touchedNodes(), m.findNode())
			}
		})
	}
}
