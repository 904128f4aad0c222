package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestAnsweredAnnotationIsNotLost: a person annotates a Machine whose host a repair cycles, and waits. The repair tries once more, heals the machine,
// and removes its own sign. What the person has asked for stands, and is done then.
func TestAnsweredAnnotationIsNotLost(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	repair := f.admit(a, by(step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Attempts = 2 })))
	f.reconcile(repair)
	f.cycleBegins(repair)
	f.reconcile(repair)
	asked := f.admitAgain(a, 2, byAnnotation())
	f.signed(a, asked)
	f.reconcile(asked)
	f.wantRecord(asked, "Pending HeldByOthers")
	f.cycleEnds(repair, v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node is not back")
	f.reconcile(repair)
	f.cycleBegins(repair)
	f.reconcile(repair)
	f.reconcile(asked)
	f.wantRecord(repair, "Acting Acting reboot:Failed reboot:-")
	f.judge(a, metav1.ConditionTrue)
	f.reconcile(repair)
	f.pass(5 * time.Minute)
	f.reconcile(repair)
	f.wantRecord(repair, "Ended Ended Recovered reboot:Failed reboot:Succeeded")
	f.pass(5 * time.Minute)
	f.reconcile(repair)
	f.reconcile(asked)
	if got := f.summary(asked); got != "Acting Acting reboot:-" {
		t.Errorf("nobody has withdrawn what was asked for by annotation, and it is %s", got)
	}
}
