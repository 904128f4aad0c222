package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestDryRun: observe and decide, never act, say what would be done; and act once it is over.
func TestDryRun(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.sick(t, "a")
	w.sick(t, "b", orphan())
	mhc := w.check(t, build.Annotation(DryRunAnnotation, "true"))
	w.reconcile(t, mhc)
	w.wantTreated(t)
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: ConditionDryRun, Status: metav1.ConditionTrue, Reason: ReasonDryRun, ObservedGeneration: 1,
		Message: "Would remediate a (owner), b (delete)",
	})
	if got := expect.Condition(t.Context(), t, w.env.Client, mhc, ConditionRemediationAllowed); got.Status != metav1.ConditionTrue {
		t.Errorf("RemediationAllowed is %+v, want as ever", got)
	}
	if told := w.told(); len(told) > 0 {
		t.Errorf("told %q", told)
	}
	unannotate(t, w, mhc, DryRunAnnotation)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner", "b: delete")
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, ConditionDryRun)
}
