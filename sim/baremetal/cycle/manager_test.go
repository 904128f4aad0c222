package cycle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// atMost bounds the time from a cycle's annotation until the host is released, if power takes no time.
const atMost = 2 * time.Second

// managed returns a harness whose controllers run in a manager, on the real clock.
func managed(t testing.TB, kind schema.GroupVersionKind) *harness {
	t.Helper()
	s := startHarness(t, kind, clock.RealClock{})
	manage(t, s)
	return s
}

// manage runs the controllers in a manager.
func manage(t testing.TB, s *harness) {
	t.Helper()
	kind := s.kind
	e := *s.e
	e.Config = s.account("reboot")
	e.Manager(t, env.ManagerOptions{Namespaces: []string{s.namespace}, Setup: func(mgr ctrl.Manager) error {
		live, err := client.New(mgr.GetConfig(), client.Options{Scheme: s.e.Scheme, Mapper: mgr.GetRESTMapper()})
		if err != nil {
			return err
		}
		nodes := s.nodes(live, mgr.GetConfig(), s.asAdmin)
		reconciler := &reboot.Reconciler{
			Kind: kind, Workload: nodes, Recorder: s.log, SyncPeriod: syncPeriod, Concurrency: 2,
		}
		if err := reconciler.AddToManager(mgr); err != nil {
			return err
		}
		// A sweep skips a host that changes during the sweep, and the next one handles it.
		return mgr.Add(&reboot.Sweeper{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Namespace: s.namespace, Period: time.Second})
	}})
}

// finishes waits until a cycle in a manager has ended.
func (m *machine) finishes() v1alpha1.RebootRemediationStatus {
	m.Helper()
	m.eventually("end of the cycle", func() bool {
		record := m.record()
		return record != nil && record.Status.Phase.Ended() && !slices.Contains(record.Finalizers, cycle.Finalizer)
	})
	return m.record().Status
}

// TestInManager: events alone wake the controllers. No period is short enough to help.
func TestInManager(t *testing.T) {
	t.Parallel()
	for name, kind := range flavours {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := managed(t, kind)
			m := s.machine("m", plan{})
			for round := range 2 {
				m.node = *m.findNode()
				m.attempt(fmt.Sprint("m-", round), v1alpha1.RebootRemediationSpec{})
				status := m.finishes()
				if status.Phase != v1alpha1.Succeeded {
					t.Fatalf("the end is %+v", status)
				}
				m.mustBeClean()
				m.mustHaveCycled(round + 1)
				m.mustHaveAll()
				if m.findNode().UID == m.node.UID {
					t.Error("the Node was not deleted")
				}
			}
			if diff := cmp.Diff(append(fullCycle, fullCycle...), s.log.all()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStepsInManager adds the steps one after the other, and expects that the controllers notice each.
func TestStepsInManager(t *testing.T) {
	t.Parallel()
	m := managed(t, reboot.OpenShiftKind).machine("m", plan{})
	m.holds()
	for _, step := range []string{"PowerOff", "Delete", "PowerOn"} {
		m.annotate(plainKey+"/"+step, "")
		m.eventually(step+" is done", func() bool { return !m.asks(plainKey + "/" + step) })
	}
	if status := m.finishes(); status.Phase != v1alpha1.Succeeded {
		t.Errorf("the end is %+v", status)
	}
	m.mustHaveCycled(1)
	m.mustHaveAll()
}

// TestPace: nothing in a cycle sleeps. A sleep would slow down every cycle, a busy machine only some, so the test takes
// the best of several.
func TestPace(t *testing.T) {
	m := managed(t, reboot.ClusterAPIKind).machine("m", plan{})
	best := m.cycle()
	for n := 1; n < 10 && best > atMost; n++ {
		best = min(best, m.cycle())
	}
	t.Logf("from the request until the host is released: %s", best)
	if best > atMost {
		t.Errorf("it took %s at best until the host was released, want %s at most", best, atMost)
	}
}

// cycle runs a cycle and returns how long it took until the host was released.
func (m *machine) cycle() time.Duration {
	m.Helper()
	before, began := m.Boots(), time.Now()
	cycles(m)
	m.eventually("power is back", func() bool { return m.Boots() > before })
	took := time.Since(began)
	m.finishes()
	m.deleteRequest()
	m.eventually("the request is gone", func() bool { return m.record() == nil })
	if err := m.client.DeleteAllOf(m.ctx, &v1alpha1.MachineRemediation{}, client.InNamespace(m.namespace)); err != nil {
		m.Fatal(err)
	}
	return took
}

// BenchmarkCycle measures the time from the request until the host is released, with power that takes no time.
func BenchmarkCycle(b *testing.B) {
	m := managed(b, reboot.ClusterAPIKind).machine("m", plan{})
	var released time.Duration
	for b.Loop() {
		released += m.cycle()
	}
	b.ReportMetric(float64(released.Milliseconds())/float64(b.N), "ms-to-power-on/op")
}
