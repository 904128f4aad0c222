package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	if latest, _ := stored(t, w, mhc); *latest.Status.CurrentHealthy != 1 {
		t.Errorf("%d healthy, want 1", *latest.Status.CurrentHealthy)
	}
}
