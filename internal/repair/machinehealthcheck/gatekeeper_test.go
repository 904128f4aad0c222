package machinehealthcheck

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// gatekeeper is one that sees what the Reconciler of the harness sees.
func (w *harness) gatekeeper() *slots.Gatekeeper {
	return &slots.Gatekeeper{Reader: w.Reader.Reader}
}

func (w *harness) gateClosed(t *testing.T, g *slots.Gatekeeper, mhc *clusterv1.MachineHealthCheck, first bool) string {
	t.Helper()
	why, err := g.GateClosed(t.Context(), mhc, w.cluster, first)
	if err != nil {
		t.Fatal(err)
	}
	return why
}

// TestGateClosed: the lower bound of a range counts for the first step of a record only.
func TestGateClosed(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.sick(t, "b")
	w.healthy(t, "c")
	mhc := w.check(t, build.TriggerIfInRange("[3-3]"))
	if got, want := w.gateClosed(t, w.gatekeeper(), mhc, true), "2 of 3 machines not healthy (2 sick), outside of the range [3-3]"; got != want {
		t.Errorf("for the first step got %q, want %q", got, want)
	}
	if got := w.gateClosed(t, w.gatekeeper(), mhc, false); got != "" {
		t.Errorf("for a further step got %q", got)
	}
}

// TestGateIsLookedAtOften: a storm that begins between two acts stops them within eight, or within a second.
func TestGateIsLookedAtOften(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.healthy(t, "b")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)))
	for name, closes := range map[string]func(g *slots.Gatekeeper) int{
		"by the number of acts": func(g *slots.Gatekeeper) int {
			for n := 1; ; n++ {
				if w.gateClosed(t, g, mhc, n%2 == 0) != "" {
					return n
				}
			}
		},
		"by time": func(g *slots.Gatekeeper) int {
			w.pass(time.Second)
			if w.gateClosed(t, g, mhc, true) == "" {
				t.Error("still open after a second")
			}
			return 1
		},
	} {
		g := w.gatekeeper()
		w.fitNode("b", metav1.ConditionTrue)
		if why := w.gateClosed(t, g, mhc, true); why != "" {
			t.Fatalf("%s: closed at first: %s", name, why)
		}
		w.fitNode("b", metav1.ConditionFalse)
		if n := closes(g); n > 8 {
			t.Errorf("%s: closed for call %d only", name, n)
		}
	}
}

// TestGateOfAnotherGeneration: a limit that was changed counts at once.
func TestGateOfAnotherGeneration(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)))
	g := w.gatekeeper()
	if why := w.gateClosed(t, g, mhc, true); why != "" {
		t.Fatal(why)
	}
	stricter := mhc.DeepCopy()
	stricter.Generation++
	stricter.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.FromInt32(0))
	if why := w.gateClosed(t, g, stricter, true); why == "" {
		t.Error("the old limit counts")
	}
}

// TestGateOfAllCountsNobody: a limit of 100% allows everything, so nobody looks at thousands of machines for it.
func TestGateOfAllCountsNobody(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	g := w.gatekeeper()
	g.Cache, g.Observer = nil, nil
	if why := w.gateClosed(t, g, w.check(t, build.TriggerIfAtMost(intstr.FromString("100%"))), true); why != "" {
		t.Error(why)
	}
}

// overBudget asks a gatekeeper as the remediation controller does.
func overBudget(t *testing.T, g *slots.Gatekeeper, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) (string, error) {
	t.Helper()
	plan, err := mhcspec.PlanOf(t.Context(), g.Live, mhc)
	if err != nil {
		t.Fatal(err)
	}
	return g.OverBudget(t.Context(), mhc, cluster, plan, func(ctx context.Context) ([]*v1alpha1.MachineRemediation, error) {
		return recordstore.LiveOpenOfCluster(ctx, g.Live, client.ObjectKeyFromObject(cluster))
	})
}

func TestOverBudget(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a, b := w.sick(t, "a"), w.sick(t, "b")
	w.sick(t, "c")
	mhc := w.check(t, maxInFlight("1"))
	w.freeze(t, mhc)
	over := func() string {
		t.Helper()
		why, err := overBudget(t, w.gatekeeper(), mhc, w.cluster)
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	w.admitByHand(t, mhc, a)
	if why := over(); why != "" {
		t.Errorf("over budget with one: %s", why)
	}
	w.admitByHand(t, mhc, b)
	if why, want := over(), "2 of at most 1 repairs in flight: a, b"; why != want {
		t.Errorf("got %q, want %q, though the cache shows neither", why, want)
	}
	w.stepBack(t, a, time.Hour)
	if why := over(); why != "" {
		t.Errorf("over budget though one has stepped back: %s", why)
	}
	w.end(t, b)
	w.cache.Thaw()
	change(t, w, a, func(m *clusterv1.Machine) { m.Finalizers = []string{"test.sickbay.dev/keep"} })
	remove(t, w, a)
	w.admitByHand(t, mhc, w.machines["c"])
	// The API server sets the time of a deletion, by its own clock.
	w.clock.SetTime(time.Now())
	if why, want := over(), "2 of at most 1 repairs in flight: a, c"; why != want {
		t.Errorf("got %q, want %q, as a is being deleted", why, want)
	}
	w.pass(time.Hour)
	if why := over(); why != "" {
		t.Errorf("over budget though the deletion of a has hung for an hour: %s", why)
	}
	mhc.Annotations = nil
	if why := over(); why != "" {
		t.Errorf("over budget without one: %s", why)
	}
}

// TestOverBudgetOfAPlan: the bound of a plan counts, and nobody acts on a plan that is gone.
func TestOverBudgetOfAPlan(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a, b := w.sick(t, "a"), w.sick(t, "b")
	p := w.plan(t, func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) })
	mhc := w.check(t, byPlan())
	over := func() string {
		t.Helper()
		why, err := overBudget(t, w.gatekeeper(), mhc, w.cluster)
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: reboot")
	if why := over(); why != "" {
		t.Errorf("over budget with one: %s", why)
	}
	second := w.recordOf(t, a).DeepCopy()
	build.Create(t.Context(), t, w.env.Client, recordstore.New(w.cluster, 1, v1alpha1.MachineRemediationSpec{
		ClusterName: w.cluster.Name, HealthCheckRef: second.Spec.HealthCheckRef, Finding: second.Spec.Finding, Steps: second.Spec.Steps, Grant: 1,
		MachineRef: v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "b", UID: b.UID},
	}))
	if why, want := over(), "2 of at most 1 repairs in flight: a, b"; why != want {
		t.Errorf("got %q, want %q", why, want)
	}
	remove(t, w, p)
	if why, want := over(), "MachineRemediationTemplate plan does not exist, so the limit on repairs is unknown"; why != want {
		t.Errorf("got %q, want %q", why, want)
	}
}

func TestWaitingRecordIsPacedAsTheLineIs(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a, b := w.sick(t, "a"), w.sick(t, "b")
	paced := func(p *v1alpha1.RemediationPlan) {
		p.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
	}
	p := w.plan(t, paced)
	mhc := w.check(t, byPlan())
	why := func() string {
		t.Helper()
		why, err := w.gatekeeper().Paced(t.Context(), mhc, w.cluster, b)
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	if got := why(); got != "" {
		t.Errorf("nothing is at work, and it is paced: %s", got)
	}
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: reboot")
	if got, want := why(), "MachineSet "+a.OwnerReferences[0].Name+" has as many unproven repairs as it may have (1)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	change(t, w, p, func(p *v1alpha1.MachineRemediationTemplate) { p.Spec.Template.Spec.Pacing = nil })
	if got := why(); got != "" {
		t.Errorf("without pacing: %s", got)
	}
	remove(t, w, p)
	if got := why(); got != "" {
		t.Errorf("without a plan: %s", got)
	}
}

// TestSlowLookIsUsed: a look at the machines that takes longer than it lasts serves more than one act all the same.
func TestSlowLookIsUsed(t *testing.T) {
	t.Parallel()
	r, slow := pools(t, 100), &slowClock{now: build.Epoch.Add(time.Hour)}
	counts := r.Reader.Reader
	counts.Clock = slow
	g := &slots.Gatekeeper{Reader: counts}
	mhc := build.MachineHealthCheck("ns", "mhc-0", build.Selector(map[string]string{poolLabel: "0"}), build.TriggerIfAtMost(intstr.FromInt32(100)))
	ask := func() time.Duration {
		began := slow.now
		if why, err := g.GateClosed(t.Context(), mhc, build.Cluster("ns", build.ClusterName), false); why != "" || err != nil {
			t.Fatal(why, err)
		}
		return slow.now.Sub(began)
	}
	if took := ask(); took < time.Second {
		t.Fatalf("the look took %s only", took)
	}
	if took := ask(); took >= time.Second {
		t.Errorf("the next act took %s, as it looked once more", took)
	}
}

// slowClock is the clock of a process so slow that a fifth of a second passes between any two readings.
type slowClock struct {
	testingclock.FakePassiveClock

	now time.Time
}

// Now implements clock.PassiveClock.
func (c *slowClock) Now() time.Time {
	c.now = c.now.Add(time.Second / 5)
	return c.now
}
