package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestOverlapLowerBound: a Machine that is repaired for another MachineHealthCheck counts as undecided, also when all are judged anew for an admission.
func TestOverlapLowerBound(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	first := w.check(t, named("first"), build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Remediation.TriggerIf.UnhealthyInRange = "[2-3]"
	}))
	second := w.check(t, named("second"), disks(0), byReboot())
	w.fitNode("b", metav1.ConditionTrue)
	b := w.machine(t, "b", build.NodeRef("b"), build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch))
	w.judges().judge(t, b)
	w.reconcile(t, second)
	w.wantAdmitted(t, "b: reboot")

	w.sick(t, "a")
	w.reconcile(t, first)
	w.wantAdmitted(t, "a: replace", "b: reboot")
}

// TestStartingLowerBound: a Machine whose verdict is not there yet counts as undecided, also when all are judged anew for an admission.
func TestStartingLowerBound(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t, disks(time.Hour), build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Remediation.TriggerIf.UnhealthyInRange = "[2-3]"
	}))
	w.fitNode("b", metav1.ConditionTrue)
	b := w.machine(t, "b", build.NodeRef("b"), build.Condition("Disk", metav1.ConditionFalse, "Broken", w.clock.Now()))
	w.judges().judge(t, b)
	w.sick(t, "a")
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
}

// TestOverlapEdited: an edit of a MachineHealthCheck whose template is missing has others believe for a moment that it may repair. When its status is
// about the edit, they are told.
func TestOverlapEdited(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	first, second := w.check(t, named("first"), byTemplate()), w.check(t, named("second"), byReboot())
	w.reconcile(t, first)
	change(t, w, first, func(mhc *clusterv1.MachineHealthCheck) { mhc.Spec.Checks.NodeStartupTimeoutSeconds = new(int32(300)) })
	w.sick(t, "a")
	w.reconcile(t, second)
	w.wantAdmitted(t)
	before, _ := stored(t, w, first)
	w.reconcile(t, first)
	after, _ := stored(t, w, first)
	if !slots.AbilityChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}) {
		t.Error("nobody is told")
	}
	w.reconcile(t, second)
	w.wantAdmitted(t, "a: reboot")
}
