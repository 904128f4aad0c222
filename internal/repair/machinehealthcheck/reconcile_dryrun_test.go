package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestDryRun: observe and decide, never act, say what would be done; and act once it is over.
func TestDryRun(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, build.Annotation(mhcspec.DryRunAnnotation, "true"))
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionDryRun, Status: metav1.ConditionTrue, Reason: admission.ReasonDryRun, ObservedGeneration: 1,
		Message: "Would repair a (replace), b (replace)",
	})
	if got := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed); got.Status != metav1.ConditionTrue {
		t.Errorf("RemediationAllowed is %+v, want as ever", got)
	}
	if events := w.events(); len(events) > 0 {
		t.Errorf("events are %q", events)
	}
	if latest, _ := stored(t, w, mhc); len(latest.OwnerReferences) > 0 {
		t.Errorf("it has owners %v, though nothing may be done", latest.OwnerReferences)
	}
	unannotate(t, w, mhc, mhcspec.DryRunAnnotation)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace", "b: replace")
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, admission.ConditionDryRun)
}
