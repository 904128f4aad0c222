package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
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

// TestFindingOfOneOfSeveral: a record says what its own MachineHealthCheck finds, though the verdict says first what an older one finds that only reports.
// Its repair, an approval and the memory of the machine go by that.
func TestFindingOfOneOfSeveral(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.check(t, named("first"), disks(0), build.Annotation(mhcspec.DryRunAnnotation, "true"))
	second := w.check(t, named("second"), build.UnhealthyMachineCondition("Fan", metav1.ConditionFalse, 0))
	w.fitNode("a", metav1.ConditionTrue)
	broken := func(what string) build.MachineOption {
		return build.Condition(what, metav1.ConditionFalse, "Broken", build.Epoch)
	}
	a := w.machine(t, "a", build.NodeRef("a"), broken("Disk"), broken("Fan"))
	w.judges().judge(t, a)
	w.reconcile(t, second)
	got := w.recordOf(t, a).Spec.Finding
	want := v1alpha1.RemediationFinding{Reason: "FanUnhealthy", Message: "Machine condition Fan is False for more than 0s", Since: got.Since}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("finding (-want +got), verdict %+v:\n%s", expect.Condition(t.Context(), t, w.env.Client, a, verdict.ConditionType), diff)
	}
}

// TestRulesOfOneOfSeveral: the rules of a plan see what their own MachineHealthCheck finds, whatever an older one that only reports finds, too.
func TestRulesOfOneOfSeveral(t *testing.T) {
	t.Parallel()
	disk := build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch)
	for name, tt := range map[string]struct {
		olderFinds, finds build.MachineHealthCheckOption
		rule              string
		want              bool
	}{
		"what only the other finds":          {build.NodeStartupTimeout(time.Minute), disks(0), "findings.exists(f, f.reason == 'NodeStartupTimedOut')", false},
		"what it finds":                      {build.NodeStartupTimeout(time.Minute), disks(0), "findings.exists(f, f.type == 'Disk')", true},
		"no condition, and the other's does": {disks(0), build.NodeStartupTimeout(time.Minute), "findings.exists(f, f.reason == 'NodeStartupTimedOut')", true},
		"nothing is true of all":             {disks(0), build.NodeStartupTimeout(time.Minute), "findings.all(f, f.reason == 'Other')", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.plan(t, rule(tt.rule, "replace"))
			w.check(t, named("first"), build.NodeStartupTimeout(0), tt.olderFinds, build.Annotation(mhcspec.DryRunAnnotation, "true"))
			second := w.check(t, named("second"), build.NodeStartupTimeout(0), tt.finds, byPlan())
			a := w.machine(t, "a", disk)
			w.pass(time.Hour)
			w.judges().judge(t, a)
			w.reconcile(t, second)
			if start := w.recordOf(t, a).Spec.StartAt; (start != nil) != tt.want {
				t.Errorf("it begins at %+v, verdict %+v", start, expect.Condition(t.Context(), t, w.env.Client, a, verdict.ConditionType))
			}
		})
	}
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

// TestOverlapSlotForWhatHasBegun: a step has begun for the older of two MachineHealthChecks, which finds the machine healthy by now. The younger one leaves
// the machine to the record, so the older one gives that its next slot.
func TestOverlapSlotForWhatHasBegun(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	first, second := w.check(t, named("first")), w.check(t, named("second"), disks(0))
	a := w.sick(t, "a", build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch))
	w.reconcile(t, first)
	w.stepBack(t, a, 0)
	changeStatus(t, w, w.recordOf(t, a), func(r *v1alpha1.MachineRemediation) {
		over := metav1.NewTime(w.clock.Now())
		r.Status.Attempts = []v1alpha1.RemediationAttempt{{
			Number: 1, Step: r.Status.Step, StartTime: &over, BeganAt: &over, EndTime: &over, Result: v1alpha1.ResultFailed,
			ObjectRef: &v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: "Owner", Name: "owner", UID: "uid"},
		}}
	})
	w.fitNode("a", metav1.ConditionTrue)
	w.judges().judge(t, a)
	w.reconcile(t, second)
	w.reconcile(t, first)
	if got := w.recordOf(t, a); got.Spec.Grant != 2 || got.Spec.HealthCheckRef.Name != first.Name {
		t.Errorf("the record of %s was granted %d slots, want 2", got.Spec.HealthCheckRef.Name, got.Spec.Grant)
	}
}
