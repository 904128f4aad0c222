package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

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
