//go:build review

package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/cluster-api/util/patch"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestReviewOwnerAnswersWithdrawnMark: an owner that has read the mark answers it, by Cluster API's patch helper, after it has
// been withdrawn. That sets it again: no field of it is ours then.
func TestReviewOwnerAnswersWithdrawnMark(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.sick("a", build.Finalizer(keep))
	record := f.admit(a, by(step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	f.wantStanding("a: mark")
	seen, _ := stored(f, a)
	helper, err := patch.NewHelper(seen, f.env.Client)
	if err != nil {
		t.Fatal(err)
	}
	change(f, record, func(r *v1alpha1.MachineRemediation) {
		r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerCancel, By: "ann"}
	})
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Held Cancelled replace:Cancelled")
	conditions.Set(seen, metav1.Condition{
		Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse,
		Reason: clusterv1.MachineSetMachineRemediationDeferredReason, Message: "one at a time",
	})
	if err := helper.Patch(t.Context(), seen, patch.WithOwnedConditions{Conditions: []string{clusterv1.MachineOwnerRemediatedCondition}}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.pass(time.Hour)
		f.reconcile(record)
	}
	got, _ := stored(f, record)
	if standing := f.standing(); len(standing) > 0 {
		t.Errorf("%v stands, by which the owner replaces the machine as soon as it can; the record says %q: %s", standing, f.summary(record), progressOf(got).message)
	}
}
