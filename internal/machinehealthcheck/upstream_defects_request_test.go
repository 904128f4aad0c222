package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestUpstreamDefect_OneOpenRequestBlocksAllOthers: 2.7. A request that stood ended the loop over the
// sick Machines, so that all later ones got neither request nor verdict.
func TestUpstreamDefect_OneOpenRequestBlocksAllOthers(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	w.sick(t, "a")
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request")
	w.sick(t, "b")
	w.sick(t, "c")
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request", "b: request", "c: request")
}

// TestUpstreamDefect_MissingTemplateLosesTheVerdict: 2.7. Without the template nothing was stored,
// not even that the Machine is sick.
func TestUpstreamDefect_MissingTemplateLosesTheVerdict(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.machine(t, "a", build.NodeRef("a"))
	mhc := w.check(t, byTemplate())
	w.doctor().judge(t, a)
	w.reconcile(t, mhc)
	if got := expect.Condition(t.Context(), t, w.env.Client, a, machinehealth.ConditionType); got.Status != metav1.ConditionFalse {
		t.Errorf("verdict is %+v", got)
	}
	if got := expect.Condition(t.Context(), t, w.env.Client, mhc, ConditionTemplateAvailable); got.Status != metav1.ConditionFalse {
		t.Errorf("template condition is %+v", got)
	}
}

// TestUpstreamDefect_HealthyWithTemplateNeverGetsItsVerdict: 2.7. With a templateRef, a Machine that
// never had a request was never declared healthy.
func TestUpstreamDefect_HealthyWithTemplateNeverGetsItsVerdict(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.machine(t, "a", build.NodeRef("a"))
	w.fitNode("a", metav1.ConditionTrue)
	mhc := w.check(t, byTemplate())
	w.doctor().judge(t, a)
	w.reconcile(t, mhc)
	if stored, _ := fetch(t, w, mhc); *stored.Status.CurrentHealthy != 1 {
		t.Errorf("%d healthy, want 1", *stored.Status.CurrentHealthy)
	}
}

// TestUpstreamDefect_StaleFalseIsNeverCleared: 2.7, and issue 13822. A verdict of False stood for ever
// if the request was gone before the Machine was healthy again.
func TestUpstreamDefect_StaleFalseIsNeverCleared(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	a := w.sick(t, "a")
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	remove(t, w, &w.requests(t)[0])
	w.fitNode("a", metav1.ConditionTrue)
	w.doctor().judge(t, a)
	w.reconcile(t, mhc)
	w.wantTreated(t)
	if got := expect.Condition(t.Context(), t, w.env.Client, a, machinehealth.ConditionType); got.Status != metav1.ConditionTrue {
		t.Errorf("verdict is %+v", got)
	}
}

// TestUpstreamDefect_DeletingMachineGetsARequest: 2.7.
func TestUpstreamDefect_DeletingMachineGetsARequest(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	w.sick(t, "a", build.Deleting(w.clock.Now()))
	w.reconcile(t, w.check(t, byTemplate()))
	w.wantTreated(t)
}

// TestUpstreamDefect_OneFailedCreateStopsTheOthers: 2.7. A request that could not be made ended the
// loop over the sick Machines, before any of them was marked.
func TestUpstreamDefect_OneFailedCreateStopsTheOthers(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	w.sick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, byTemplate())
	w.restart(w.refusing(t, refuseA(errRefused, false)))
	if _, err := w.tryReconcile(t, mhc); err == nil {
		t.Error("no error, so nobody tries again")
	}
	w.wantTreated(t, "b: request")
}

// TestUpstreamDefect_TemplateConditionIsNeverTakenBack: 1.5. The conditions about the template were
// only ever set to False.
func TestUpstreamDefect_TemplateConditionIsNeverTakenBack(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.template(t)
	w.reconcile(t, mhc)
	if got := expect.Condition(t.Context(), t, w.env.Client, mhc, ConditionTemplateAvailable); got.Status != metav1.ConditionTrue {
		t.Errorf("template condition is %+v", got)
	}
	change(t, w, mhc, func(m *clusterv1.MachineHealthCheck) { m.Spec.Remediation = clusterv1.MachineHealthCheckRemediation{} })
	w.reconcile(t, mhc)
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, ConditionTemplateAvailable)
}
