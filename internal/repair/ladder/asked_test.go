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

// TestAbortedCyclesBackOff: cycles that begin and are aborted at once, before the host was off, as while the rest of a control plane flaps, count for
// nothing. They are not repeated without a pause, and without end.
func TestAbortedCyclesBackOff(t *testing.T) {
	f := askedFor(Healthy)
	cycles := 0
	for range 200 {
		var d Decision
		f, d = decideAll(f, noon.Add(time.Second))
		if d.Act != CreateReboot {
			break
		}
		cycles++
		f.Request = &Request{OperationID: d.Attempt.OperationID, Ref: *thing("RebootRemediation", "r"), BeganAt: noon}
		f, _ = decideAll(f, noon.Add(time.Second))
		f.Request.Aborted = true
		requestSays("False", "2 of the 2 other machines have to be up")(&f)
		f, _ = decideAll(f, noon.Add(time.Second))
		f.Request = nil
	}
	if cycles > 3 {
		t.Errorf("%d cycles were made and aborted in the same second", cycles)
	}
}

// TestDoneIsDone: the cycle has succeeded at the very moment at which its asker takes back what was asked for. What is done stays done.
func TestDoneIsDone(t *testing.T) {
	f := with(byAnnotation(), works("reboot", time.Minute), requestSays("True", "The Node is back"), withdrawn)
	f, _ = decideAll(f, noon)
	s := &f.Record.Status
	if last := Last(s); last.Result != v1alpha1.ResultSucceeded || Success(s).Reason != v1alpha1.ReasonDone {
		t.Errorf("the cycle has succeeded, and its attempt is %s, the record %s: %s", last.Result, Success(s).Reason, Success(s).Message)
	}
}

// TestAskedForWaitsForAPerson: somebody else keeps the host, as only the cycle shows: to a record for single steps, and to all of OpenShift. That wait
// has no end and writes nothing: no cycle is made and withdrawn every few minutes, and the record is still there when the host is free.
func TestAskedForWaitsForAPerson(t *testing.T) {
	for name, f := range map[string]Facts{
		"a single step": keepsOff(), "an annotation": with(byAnnotation(), unlimited), "another health check": byHealthCheck(Sick), "an annotation that needs a slot": byAnnotation(),
	} {
		t.Run(name, func(t *testing.T) {
			w := &story{f: f, now: noon, asked: keptByCycle}
			w.until(48 * time.Hour)
			cycles := 0
			for _, act := range w.acts {
				if act == CreateReboot {
					cycles++
				}
			}
			// One that needs a slot gives it back meanwhile, so it has to ask again.
			again := name == "an annotation that needs a slot"
			if s := &w.f.Record.Status; s.Phase == v1alpha1.RemediationEnded || (cycles > 10 && !again) {
				t.Errorf("after two days it has made %d cycles and is %s: %s", cycles, s.Phase, Success(s).Message)
			}
		})
	}
}

// TestAskedForDeletesNothing: a step Replace that another health check asked for asks the machine's owner, and is there only because the machine had one.
// Meanwhile somebody has deleted the owner and left its machines, as kubectl delete --cascade=orphan does. Nobody would replace the machine, so it is not
// deleted, disks and all.
func TestAskedForDeletesNothing(t *testing.T) {
	f := with(byHealthCheck(Sick), works("reboot", 0), over(v1alpha1.ResultFailed, "replace"), orphan)
	if _, d := decideAll(f, noon); d.Act == DeleteMachine {
		t.Errorf("it does %s", d.Act)
	}
}

// TestOwnerIsAskedAsLongAsACheckAsks: by Cluster API's contract, OwnerRemediated=False stands until the owner has replaced the machine. The owner defers
// for two days. The request of the health check stands, and nobody makes another one: so the owner is still asked when it can act.
func TestOwnerIsAskedAsLongAsACheckAsks(t *testing.T) {
	f := with(byHealthCheck(Sick), func(f *Facts) { f.Record.Spec.Steps = []v1alpha1.RemediationStep{replace()} })
	w := &story{f: f, now: noon, asked: func(f *Facts) {
		f.Machine.Mark.State, f.Machine.Mark.Message = MarkDeferred, "KCP is remediating another machine"
	}}
	w.until(48 * time.Hour)
	if s := &w.f.Record.Status; Ended(w.f.Record) {
		t.Errorf("it has ended, %s: %s", Success(s).Reason, Success(s).Message)
	}
}
