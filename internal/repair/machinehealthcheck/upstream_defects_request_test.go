package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestUpstreamDefect_OneOpenRequestBlocksAllOthers: A request that stood ended the loop over the
// sick Machines, so that all later ones got neither request nor verdict.
func TestUpstreamDefect_OneOpenRequestBlocksAllOthers(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.template(t)
	w.sick(t, "a")
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: request")
	w.sick(t, "b")
	w.sick(t, "c")
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: request", "b: request", "c: request")
}

// TestUpstreamDefect_MissingTemplateLosesTheVerdict: without the template nothing was stored,
// not even that the Machine is sick.
func TestUpstreamDefect_MissingTemplateLosesTheVerdict(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.machine(t, "a", build.NodeRef("a"))
	mhc := w.check(t, byTemplate())
	w.judges().judge(t, a)
	w.reconcile(t, mhc)
	if got := expect.Condition(t.Context(), t, w.env.Client, a, verdict.ConditionType); got.Status != metav1.ConditionFalse {
		t.Errorf("verdict is %+v", got)
	}
	if got := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionTemplateAvailable); got.Status != metav1.ConditionFalse {
		t.Errorf("template condition is %+v", got)
	}
}

// TestUpstreamDefect_HealthyWithTemplateNeverGetsItsVerdict: with a templateRef, a Machine that
// never had a request was never declared healthy.
func TestUpstreamDefect_HealthyWithTemplateNeverGetsItsVerdict(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.machine(t, "a", build.NodeRef("a"))
	w.fitNode("a", metav1.ConditionTrue)
	mhc := w.check(t, byTemplate())
	w.judges().judge(t, a)
	w.reconcile(t, mhc)
	if stored, _ := fetch(t, w, mhc); *stored.Status.CurrentHealthy != 1 {
		t.Errorf("%d healthy, want 1", *stored.Status.CurrentHealthy)
	}
}

// TestUpstreamDefect_DeletingMachineGetsARequest: a Machine that was being deleted got a remediation request.
func TestUpstreamDefect_DeletingMachineGetsARequest(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.template(t)
	w.sick(t, "a", build.Deleting(w.clock.Now()))
	w.reconcile(t, w.check(t, byTemplate()))
	w.wantAdmitted(t)
}

// TestUpstreamDefect_OneFailedCreateStopsTheOthers: A request that could not be made ended the
// loop over the sick Machines, before any of them was marked.
func TestUpstreamDefect_OneFailedCreateStopsTheOthers(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.template(t)
	w.sick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, byTemplate())
	w.restart(w.refusing(t, refuseA(errRefused, false)))
	if after := w.reconcile(t, mhc); after == 0 {
		t.Error("nobody tries again")
	}
	w.wantAdmitted(t, "b: request")
}

// TestUpstreamDefect_TemplateConditionIsNeverTakenBack: the conditions about the template were
// only ever set to False.
func TestUpstreamDefect_TemplateConditionIsNeverTakenBack(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.template(t)
	w.reconcile(t, mhc)
	if got := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionTemplateAvailable); got.Status != metav1.ConditionTrue {
		t.Errorf("template condition is %+v", got)
	}
	change(t, w, mhc, func(m *clusterv1.MachineHealthCheck) { m.Spec.Remediation = clusterv1.MachineHealthCheckRemediation{} })
	w.reconcile(t, mhc)
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, admission.ConditionTemplateAvailable)
}
