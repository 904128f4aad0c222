package admission

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestWhatStandsStillTakesNoSlot: a record that keeps a host off is open without slot and end, and one that waits for somebody has nothing at work. The
// repairs of other machines do not wait for them for weeks.
func TestWhatStandsStillTakesNoSlot(t *testing.T) {
	asked := func(r *v1alpha1.MachineRemediation) {
		r.Spec.Finding, r.Spec.Grant = v1alpha1.RemediationFinding{}, 0
		r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: "reboot.metal3.io/PowerOff"}
		r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot}}
		r.Status.Attempt, r.Status.Step = 1, "reboot"
	}
	for name, change := range map[string]recordOption{
		"it keeps the host off": func(r *v1alpha1.MachineRemediation) {
			asked(r)
			r.Spec.Steps[0].Until = v1alpha1.StepPowerOff
			at := metav1.NewTime(ago(1000))
			r.Status.Phase = v1alpha1.RemediationActing
			r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "reboot", StartTime: &at, BeganAt: &at, ObjectRef: &v1alpha1.RemediationObjectReference{}}}
		},
		"a person keeps the host": func(r *v1alpha1.MachineRemediation) {
			asked(r)
			r.Status.Phase = v1alpha1.RemediationPending
			r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRemediationHeldByOthers}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(check(maxInFlight("1")), healthy("a"), sick("b")).with(recordOf("a", change))
			if got := f.inFlight(); len(got) > 0 {
				t.Errorf("with max-in-flight 1, %v takes the only slot for as long as that lasts", got)
			}
		})
	}
}
