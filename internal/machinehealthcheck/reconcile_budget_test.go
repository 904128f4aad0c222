package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestBudgetIsSpentOnce: one at a time, and the next when the first is well.
func TestBudgetIsSpentOnce(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a", verdict(metav1.ConditionFalse, w.clock.Now().Add(-time.Hour)))
	w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner")
	w.judge(t, a, metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner", "b: owner")
}

// budgets are the ways to spend one.
var budgets = map[string]struct {
	mhc     []build.MachineHealthCheckOption
	machine []build.MachineOption
	kind    remedy.Kind
}{
	"owner":   {nil, nil, remedy.Owner},
	"delete":  {nil, []build.MachineOption{orphan(), build.Finalizer("test.sickbay.dev/keep")}, remedy.Delete},
	"request": {opts(byTemplate()), nil, remedy.Request},
	"reboot":  {opts(byReboot()), nil, remedy.Reboot},
}

// budgetWard has three sick Machines, two remedies to spend, and all that they need.
func budgetWard(t *testing.T, name string) (*ward, *clusterv1.MachineHealthCheck) {
	t.Helper()
	b, w := budgets[name], newWard(t)
	for _, name := range []string{"a", "b", "c"} {
		w.sick(t, name, b.machine...)
	}
	build.Create(t.Context(), t, w.env.Client, build.RemediationTemplate(templateKind, w.ns, "fix", nil))
	return w, w.check(t, append(b.mhc, maxInFlight("2"))...)
}

// TestBudgetWithLaggingCache: what was just done counts, although the cache does not show it.
func TestBudgetWithLaggingCache(t *testing.T) {
	t.Parallel()
	for name, b := range budgets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, mhc := budgetWard(t, name)
			w.freeze(t, mhc, mhc)
			for range 5 {
				w.reconcile(t, mhc)
				w.clock.SetTime(w.clock.Now().Add(actedLag / 2))
			}
			w.wantTreated(t, "a: "+string(b.kind), "b: "+string(b.kind))
		})
	}
}

// TestBudgetAfterRestart: what another process did just before it went counts, although neither
// memory nor the cache shows it.
func TestBudgetAfterRestart(t *testing.T) {
	t.Parallel()
	for name, b := range budgets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, mhc := budgetWard(t, name)
			w.freeze(t, mhc, mhc)
			w.reconcile(t, mhc)
			lagging := w.cache
			w.restart(w.env.Client)
			w.cache, w.Client = lagging, lagging
			w.reconcile(t, mhc)
			w.reconcile(t, mhc)
			w.wantTreated(t, "a: "+string(b.kind), "b: "+string(b.kind))
		})
	}
}

// TestBudgetAfterRestartInAnotherOrder: the cache shows neither that b is treated, nor that it is
// not a's turn.
func TestBudgetAfterRestartInAnotherOrder(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.sick(t, "a", verdict(metav1.ConditionFalse, w.clock.Now().Add(-time.Hour)))
	b := w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.freeze(t, mhc, mhc)
	changeStatus(t, w, b, func(m *clusterv1.Machine) {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition(marked(metav1.ConditionFalse)))
	})
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantTreated(t, "b: owner")
}

// TestBudgetAfterFailedLook: the look past the cache is made up for if it failed.
func TestBudgetAfterFailedLook(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.sick(t, "a", verdict(metav1.ConditionFalse, w.clock.Now().Add(-time.Hour)))
	b := w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.freeze(t, mhc, mhc)
	changeStatus(t, w, b, func(m *clusterv1.Machine) {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition(marked(metav1.ConditionFalse)))
	})
	w.Live = brokenReader{w.env.Client}
	if _, err := w.tryReconcile(t, mhc); err == nil {
		t.Fatal("no error, though nothing can be read live")
	}
	w.Live = w.env.Client
	w.reconcile(t, mhc)
	w.wantTreated(t, "b: owner")
}

// TestBudgetIsFreeAgain: what is over gives its place to the next.
func TestBudgetIsFreeAgain(t *testing.T) {
	t.Parallel()
	w, mhc := budgetWard(t, "request")
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request", "b: request")
	w.judge(t, w.machines["a"], metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantTreated(t, "b: request", "c: request")
	if got := w.requests(t)[0].GetKind(); got != env.RemediationKind {
		t.Errorf("kind is %s", got)
	}
}

// TestRebootPause: asked for once, and not again until the host has had time to come up.
func TestRebootPause(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a")
	mhc := w.check(t, byReboot(), build.NodeStartupTimeout(10*time.Minute))
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: reboot")
	asked, _ := fetch(t, w, a)
	w.reconcile(t, mhc)
	unannotate(t, w, a, remedy.RebootAnnotation)
	w.clock.SetTime(w.clock.Now().Add(time.Minute))
	if after := w.reconcile(t, mhc); after != 9*time.Minute {
		t.Errorf("looks again after %s, want when the pause is over", after)
	}
	w.wantTreated(t)
	w.clock.SetTime(w.clock.Now().Add(9 * time.Minute))
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: reboot")
	again, _ := fetch(t, w, a)
	if key := remedy.RebootRequestedAtAnnotation; again.Annotations[key] == asked.Annotations[key] {
		t.Error("the second reboot goes by the time of the first")
	}
}
