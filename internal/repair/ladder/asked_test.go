package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// granted gives the record a slot.
func granted(f Facts) Facts {
	return with(f, func(f *Facts) { f.Record.Spec.Grant = f.Record.Status.ReleasedGrant + 1 })
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
