package machinehealthcheck

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestClusterNotFound: a Cluster that is gone is an error, and the condition no longer says that machines may be remediated.
func TestClusterNotFound(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	remove(t, w, w.cluster)
	for range 2 {
		if _, err := w.tryReconcile(t, mhc); err == nil {
			t.Error("there is no error")
		}
	}
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionRemediationAllowed, Status: metav1.ConditionFalse, Reason: admission.ReasonClusterNotFound, ObservedGeneration: 1,
		Message: "Nothing is repaired: Cluster " + build.ClusterName + " does not exist",
	})
	latest, _ := stored(t, w, mhc)
	if n := latest.Status.RemediationsAllowed; n == nil || *n != 0 || latest.Status.ExpectedMachines == nil {
		t.Errorf("status is %+v", latest.Status)
	}
}

func TestNumbersAreStored(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.healthy(t, "h")
	w.sick(t, "s")
	w.machine(t, "starting")
	w.healthy(t, "leaving", build.Deleting(w.clock.Now()))
	w.healthy(t, "paused", build.Annotation(clusterv1.PausedAnnotation, ""))
	w.sick(t, "skipped", build.Annotation(clusterv1.MachineSkipRemediationAnnotation, ""))
	w.sick(t, "elsewhere", build.InCluster("another"))
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromString("100%")), build.NodeStartupTimeout(0))
	w.reconcile(t, mhc)

	latest, _ := stored(t, w, mhc)
	want := clusterv1.MachineHealthCheckStatus{
		ObservedGeneration: 1, ExpectedMachines: new(int32(4)), CurrentHealthy: new(int32(1)), RemediationsAllowed: new(int32(1)),
		Targets: []string{"h", "leaving", "s", "starting"},
	}
	if diff := cmp.Diff(want, latest.Status, cmpopts.IgnoreFields(want, "Conditions")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionRemediationAllowed, Status: metav1.ConditionTrue, Reason: admission.ReasonRemediationAllowed, ObservedGeneration: 1,
		Message: "3 of 4 machines not healthy (1 sick, 1 undecided, 1 being deleted), at most 4 (100%) allowed",
	})
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionPaused, Status: metav1.ConditionFalse, Reason: admission.ReasonNotPaused, ObservedGeneration: 1,
	})
	w.wantAdmitted(t, "s: replace")
}
