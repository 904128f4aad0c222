package machinehealthcheck

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestPaused: all is left as it is but for the Paused condition, and goes on afterwards.
func TestPaused(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.healthy(t, "a")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	before, _ := stored(t, w, mhc)
	setPaused(t, w, true)
	w.sick(t, "b")
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	after, _ := stored(t, w, mhc)
	if diff := cmp.Diff(before.Status, after.Status, cmpopts.IgnoreSliceElements(func(c metav1.Condition) bool { return c.Type == admission.ConditionPaused })); diff != "" {
		t.Errorf("status (-before +after):\n%s", diff)
	}
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionPaused, Status: metav1.ConditionTrue, Reason: admission.ReasonPaused, ObservedGeneration: 1, Message: "Cluster spec.paused is set to true",
	})
	setPaused(t, w, false)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "b: replace")
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionPaused, Status: metav1.ConditionFalse, Reason: admission.ReasonNotPaused, ObservedGeneration: 1,
	})
}

// TestPausedFromTheStart: neither the label nor the owner reference is touched.
func TestPausedFromTheStart(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t, build.Annotation(clusterv1.PausedAnnotation, "true"), build.Label(clusterv1.ClusterNameLabel, "wrong"))
	w.reconcile(t, mhc)
	latest, _ := stored(t, w, mhc)
	if latest.Labels[clusterv1.ClusterNameLabel] != "wrong" || len(latest.OwnerReferences) > 0 || latest.Status.ExpectedMachines != nil {
		t.Errorf("it was touched: labels %v, owners %v, status %+v", latest.Labels, latest.OwnerReferences, latest.Status)
	}
	expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionPaused)
}

// TestHandedOverPausedByCluster: nobody acts, and nobody but Cluster API's controller says so.
func TestHandedOverPausedByCluster(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	setPaused(t, w, true)
	mhc := w.check(t, handedOver())
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, admission.ConditionPaused)
}

// TestHandedOverPausedForUpgrade: it stays handed over meanwhile, so the Paused condition stays that of Cluster API's
// controller, which is held off all the time.
func TestHandedOverPausedForUpgrade(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.Policy.Adopt = mhcspec.AdoptHandedOver
	w.sick(t, "a")
	theirs := build.Condition(admission.ConditionPaused, metav1.ConditionTrue, admission.ReasonPaused, build.Epoch).WithMessage("theirs")
	mhc := w.check(t, theirs, build.Annotation(pause.MarkerAnnotation, ""),
		build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverValue))
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition(theirs))

	unannotate(t, w, mhc, pause.MarkerAnnotation)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition(theirs))
}

// TestNotOurs: what the policy does not give to Sickbay stays as it is.
func TestNotOurs(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.Policy = mhcspec.Policy{WatchFilter: "us"}
	w.sick(t, "a", build.Label(clusterv1.WatchLabel, "us"))
	mhc := w.check(t, build.Label(clusterv1.WatchLabel, "them"))
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	if latest, _ := stored(t, w, mhc); latest.ResourceVersion != mhc.ResourceVersion {
		t.Error("it was written to")
	}
	change(t, w, mhc, func(mhc *clusterv1.MachineHealthCheck) { mhc.Labels[clusterv1.WatchLabel] = "us" })
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
}

func setPaused(t *testing.T, w *harness, paused bool) {
	t.Helper()
	change(t, w, w.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = &paused })
}
