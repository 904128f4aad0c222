package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rebooted is a machine whose reboot has not helped, in a plan whose Replace needs approval; somebody has set the annotation.
func rebooted() Facts {
	f := with(plan(reboot(), approvedStep(replace())), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "reboot"), remediateAsked)
	f.Record.Spec.Steps[0].Attempts = 1
	return f
}

// granted gives the record a slot.
func granted(f Facts) Facts {
	return with(f, func(f *Facts) { f.Record.Spec.Grant = f.Record.Status.ReleasedGrant + 1 })
}

// rebootsInVain has ann retry the reboot, which fails, and returns what is decided then, with a slot.
func rebootsInVain(t *testing.T, f Facts, now time.Time) (Facts, Decision) {
	t.Helper()
	f = granted(with(f, decides(v1alpha1.AnswerRetry, "reboot"), func(f *Facts) { f.Record.Generation = 3 }))
	f, d := decideAll(f, now)
	if d.Act != CreateReboot {
		t.Fatalf("it does %q", d.Act)
	}
	f.Request = &Request{OperationID: d.Attempt.OperationID, Ref: *thing("RebootRemediation", "r"), BeganAt: now}
	f, _ = decideAll(f, now.Add(time.Minute))
	f.Request.Succeeded, f.Request.Message = "False", "the node did not come back"
	f, _ = decideAll(f, now.Add(2*time.Minute))
	f.Request = nil
	return decideAll(granted(f), now.Add(3*time.Minute))
}

// waitsForApproval checks that nothing is replaced unless a person says so.
func waitsForApproval(t *testing.T, f Facts, d Decision) {
	t.Helper()
	if c := Progress(&f.Record.Status); d.Act != None || c.Reason != v1alpha1.ReasonApprovalRequired {
		t.Errorf("it does %q, decision %+v, and says %s: %s", d.Act, d.Attempt.Decision, c.Reason, c.Message)
	}
}

// TestDeniedReplaceDoesNotComeBack: ann denies the Replace that the annotation asks for, and retries the reboot. When that does not
// help, the annotation does not begin the Replace without an approval, unless somebody has removed it and set it once more.
func TestDeniedReplaceDoesNotComeBack(t *testing.T) {
	f, _ := decideAll(with(rebooted(), noSlot), noon)
	f, _ = decideAll(with(f, decides(v1alpha1.AnswerDeny, "")), noon.Add(time.Minute))
	if f.Record.Status.Phase != v1alpha1.RemediationHeld {
		t.Fatalf("it is %s", f.Record.Status.Phase)
	}
	f, d := rebootsInVain(t, f, noon.Add(2*time.Minute))
	waitsForApproval(t, f, d)

	f.RemediateAsked = false
	f, d = decideAll(f, noon.Add(time.Hour))
	waitsForApproval(t, f, d)
	f.RemediateAsked = true
	if _, d = decideAll(granted(f), noon.Add(time.Hour)); d.Act != MarkForOwner {
		t.Errorf("the annotation that is set once more leads to %q", d.Act)
	}
}

// TestCancelledReplaceDoesNotComeBack: the same when the Replace was begun, and ann has cancelled it.
func TestCancelledReplaceDoesNotComeBack(t *testing.T) {
	f, d := decideAll(rebooted(), noon)
	if d.Act != MarkForOwner {
		t.Fatalf("it does %q", d.Act)
	}
	f, _ = decideAll(with(f, marked), noon.Add(time.Minute))
	f, d = decideAll(with(f, decides(v1alpha1.AnswerCancel, "")), noon.Add(2*time.Minute))
	if d.Act != WithdrawMark {
		t.Fatalf("it does %q", d.Act)
	}
	f.Machine.Mark = Mark{}
	f, _ = decideAll(f, noon.Add(3*time.Minute))
	f, d = rebootsInVain(t, f, noon.Add(4*time.Minute))
	waitsForApproval(t, f, d)
}

// TestAnnotationMarksOnce: ann has approved the reboot when the annotation asks for the Replace. That is made once, and stored as what
// the annotation asks for.
func TestAnnotationMarksOnce(t *testing.T) {
	f, d := decideAll(granted(with(plan(approvedStep(reboot()), replace()), waits("reboot", 1), decides(v1alpha1.AnswerApprove, ""), remediateAsked)), noon)
	if d.Act != MarkForOwner || d.Attempt.Decision.Answer != v1alpha1.AnswerRetry {
		t.Fatalf("it does %q, decision %+v", d.Act, d.Attempt.Decision)
	}
	f, _ = decideAll(with(f, marked), noon.Add(time.Minute))
	f.Machine.Mark = Mark{}
	f, _ = decideAll(f, noon.Add(2*time.Minute))
	if f, d = decideAll(granted(f), noon.Add(3*time.Minute)); d.Act != None || f.Record.Status.Phase != v1alpha1.RemediationHeld {
		t.Errorf("it does %q, and is %s", d.Act, f.Record.Status.Phase)
	}
}
