package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

func TestEachChangeIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	approve := func(s *v1alpha1.RemediationStep) { s.Approval = v1alpha1.ApprovalRequired }
	record := f.admit(a, by(step(v1alpha1.ActionWait), step(v1alpha1.ActionReplace, approve)))
	f.reconcile(record)
	f.wantEvents()
	f.pass(10 * time.Minute)
	f.reconcile(record)
	f.reconcile(record)
	f.wantEvents("Normal RemediationApprovalRequired Step replace waits for a person to approve it",
		"Warning RemediationAttemptFailed Step wait: The machine is not healthy after 10m0s")

	change(f, record, func(r *v1alpha1.MachineRemediation) {
		r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 2, Answer: v1alpha1.AnswerApprove}
	})
	f.grant(record)
	f.writes.fail = failing("patch status of Machine a", errRefused, false)
	f.reconcile(record)
	f.wantEvents(`Warning RemediationDeferred The attempt could not be carried out: marking machine ` + f.ns + `/a: machines "a" is forbidden`)
	f.writes.fail = nil
	f.pass(time.Minute)
	got, _ := stored(f, record)
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Spec.Decision.Attempt = got.Status.Attempt })
	f.grant(record)
	f.reconcile(record)
	f.reconcile(record)
	f.wantEvents("Normal RemediationStarted Step replace: waits for MachineSet set to replace the machine; a person decides if that does not help. MachineHealthCheck mhc: Node not found")

	f.answer(a, clusterv1.MachineSetMachineCannotBeRemediatedReason, "no")
	f.reconcile(record)
	f.pass(time.Hour)
	f.reconcile(record)
	f.reconcile(record)
	f.wantEvents("Warning RemediationAttemptFailed Step replace: MachineSet set cannot remediate the machine: no",
		"Warning RemediationHeld No step is left")
	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.pass(time.Minute)
	f.reconcile(record)
	f.wantEvents()
	f.wantRecord(record, "Ended Ended RecoveredUnaided wait:TimedOut replace:NotBegun replace:Impossible")
}

// TestNothingStartedThatNobodyWasAskedFor: the intent of an attempt is stored, and then the gate is closed.
func TestNothingStartedThatNobodyWasAskedFor(t *testing.T) {
	t.Parallel()
	f := newHarness(t, bounded())
	record := f.admit(f.sick("a"))
	f.reconcile(record)
	f.pass(10 * time.Minute)
	f.reconcile(record)
	f.wantRecord(record, "Pending Backoff replace:NotBegun")
	f.events()
	f.pass(10 * time.Second)
	f.grant(record)
	f.gate.closed = "x"
	f.reconcile(record)
	f.wantEvents()
	if got, _ := stored(f, record); got.Status.Attempts[0].Count != 2 {
		t.Errorf("the attempts are %+v", got.Status.Attempts)
	}
}
