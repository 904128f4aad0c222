package cycle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/sim/mishap"
)

// crashCase is a cycle in which the test ends the process at each write.
type crashCase struct {
	kind schema.GroupVersionKind
	plan plan
	// begin asks for the cycle, and goOn does whatever else has to happen until it is over.
	begin func(*machine)
	goOn  func(*machine)
	// cycles is how often the machine is cycled.
	cycles int
	// end is the final phase.
	end v1alpha1.Phase
	// writes is the minimum number of writes.
	writes int
	// from and until are the first and the last write that other cases do not have, too. The test does not try those before and after again.
	from, until write
	// real runs it with the real operator, too.
	real bool
	// thorough also tries the moment before the first write of each kind. The next process cannot tell it from the moment after the previous
	// write.
	thorough bool
}

// status is the write to a record's status.
const status = "PUT rebootremediations/m/status"

var crashCases = map[string]crashCase{
	"full": {
		kind: reboot.ClusterAPIKind, begin: cycles, cycles: 1, end: v1alpha1.Succeeded, writes: 14, thorough: true, real: true,
	},
	"lost key": {
		kind: reboot.ClusterAPIKind, cycles: 2, end: v1alpha1.Succeeded, writes: 17, from: write{status, 6}, until: write{"DELETE /api/v1/nodes/ns-m", 1},
		begin: func(m *machine) {
			obstacles[v1alpha1.Fenced].set(m)
			m.request(v1alpha1.RebootSettings{})
		},
		goOn: func(m *machine) {
			m.reaches(v1alpha1.Fenced)
			m.loseKey()
			m.becomes("the key is missed", func() bool { return m.record().Status.KeysLost == 1 })
			m.reaches(v1alpha1.Fenced)
			obstacles[v1alpha1.Fenced].lift(m)
		},
	},
	"steps": {
		kind: reboot.ClusterAPIKind, cycles: 1, end: v1alpha1.Succeeded, writes: 15, from: write{status, 5}, until: write{"PATCH baremetalhosts/m", 2}, real: true,
		begin: func(m *machine) {
			m.annotate(plainKey+"/PowerOff", "")
			m.attempt(m.name, v1alpha1.RebootRemediationSpec{Until: v1alpha1.StepPowerOff})
		},
		goOn: func(m *machine) {
			m.becomes("power-off is done", func() bool { return !m.asks(plainKey + "/PowerOff") })
			m.annotate(plainKey+"/Delete", "")
			m.becomes("deletion is done", func() bool { return !m.asks(plainKey + "/Delete") })
			m.annotate(plainKey+"/PowerOn", "")
		},
	},
	"withdrawn": {
		kind: reboot.ClusterAPIKind, cycles: 1, end: "", writes: 14, from: write{status, 7},
		begin: func(m *machine) { m.request(v1alpha1.RebootSettings{}) },
		goOn: func(m *machine) {
			m.becomes("fenced", func() bool { return m.touchedNodes() > 0 })
			if m.record() != nil {
				m.deleteRequest()
			}
		},
	},
}

func (m *machine) touchedNodes() int { return m.cluster.touchedNodes() }

// TestCrashAtEveryWrite ends the process just after each write of a cycle, and just before the first of each kind. The next process must reach
// the same end, with as many power cycles.
func TestCrashAtEveryWrite(t *testing.T) {
	t.Parallel()
	for name, c := range crashCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !c.real {
				onlySimulated(t, "the time for this; others go the same way")
			}
			var want outcome
			var writes []write
			if !t.Run("no crash", func(t *testing.T) { want, writes = c.play(t, write{}, "") }) {
				return
			}
			for _, bound := range []write{c.from, c.until} {
				if bound != (write{}) && !slices.Contains(writes, bound) {
					t.Errorf("there is no %s: %v", bound, writes)
				}
			}
			if len(writes) < c.writes {
				t.Errorf("there are %d writes, want %d at least: %v", len(writes), c.writes, writes)
			}
			t.Logf("%d writes: %v", len(writes), writes)
			for i, at := range c.tried(writes) {
				for _, how := range []mishap.Mishap{mishap.CrashBefore, mishap.CrashAfter} {
					if how == mishap.CrashBefore && i > 0 && (!c.thorough || at.nth > 1) {
						continue
					}
					t.Run(fmt.Sprintf("%s %s", how, at), func(t *testing.T) {
						t.Parallel()
						got, _ := c.play(t, at, how)
						if diff := cmp.Diff(want, got); diff != "" {
							t.Errorf("another end than without a crash (-want +got):\n%s", diff)
						}
					})
				}
			}
		})
	}
}

// tried returns the writes at which the test ends the process.
func (c crashCase) tried(writes []write) []write {
	last := len(writes)
	if at := slices.Index(writes, c.until); at >= 0 {
		last = at + 1
	}
	return writes[max(0, slices.Index(writes, c.from)):last]
}

// outcome is what must be the same with and without a crash.
type outcome struct {
	Status, Node, Host []string
	Cycles, Touched    int
}

func (c crashCase) play(t *testing.T, at write, how mishap.Mishap) (outcome, []write) {
	t.Helper()
	s := newHarnessAlone(t, c.kind)
	m := s.machine("m", c.plan)
	s.wire.at, s.wire.mishap = at, how
	c.begin(m)
	if c.goOn != nil {
		c.goOn(m)
	}
	if c.end == "" {
		m.becomes("end of the record", func() bool { return m.record() == nil })
		m.mustBeClean()
	}
	if c.end != "" {
		m.becomes("end of the cycle", func() bool {
			record := m.record()
			return record != nil && record.Status.Phase == c.end && !slices.Contains(record.Finalizers, cycle.Finalizer)
		})
		m.mustBeClean()
	}
	if at != (write{}) && !s.wire.crashed {
		t.Errorf("the process did not crash: %v", s.wire.recorded())
	}
	m.mustHaveCycled(c.cycles)
	return m.outcome(), s.wire.recorded()
}

func (m *machine) outcome() outcome {
	m.Helper()
	o := outcome{Cycles: m.PowerCycles(), Touched: m.touchedNodes()}
	if record := m.record(); record != nil {
		s := record.Status
		o.Status = []string{string(s.Phase), fmt.Sprint("lost ", s.KeysLost)}
		for _, c := range s.Conditions {
			o.Status = append(o.Status, c.Type+" "+string(c.Status)+" "+c.Reason+" "+strings.ReplaceAll(c.Message, m.namespace, "ns"))
		}
	}
	if node := m.findNode(); node != nil {
		o.Node = []string{fmt.Sprint("same ", node.UID == m.node.UID), fmt.Sprint("new boot ", node.Status.NodeInfo.BootID == m.BootID()), fmt.Sprint("cordon ", node.Spec.Unschedulable)}
		for key, value := range node.Labels {
			o.Node = append(o.Node, "label "+key+"="+value)
		}
		for key, value := range node.Annotations {
			o.Node = append(o.Node, "annotation "+key+"="+value)
		}
		for _, t := range node.Spec.Taints {
			if t.Key != corev1.TaintNodeNotReady && t.Key != corev1.TaintNodeUnschedulable {
				o.Node = append(o.Node, "taint "+t.ToString())
			}
		}
	}
	for key := range m.bareMetalHost().Annotations {
		o.Host = append(o.Host, key)
	}
	slices.Sort(o.Node)
	slices.Sort(o.Status)
	slices.Sort(o.Host)
	return o
}
