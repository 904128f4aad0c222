package ladder

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestSuccessorsProbationStopsDuringAPause: nobody judges the successor during a pause, so that time proves nothing.
func TestSuccessorsProbationStopsDuringAPause(t *testing.T) {
	// The successor became healthy a minute before the pause, which lasted an hour.
	f := with(plan(replace()), works("replace", 90*time.Minute), goneNow, successorIs(Successor{Name: "md-0-y", Health: Healthy, HealthySince: noon.Add(-61 * time.Minute)}))
	f, _ = decideAll(f, noon.Add(-60*time.Minute-time.Second))
	f = with(f, paused)
	f, _ = decideAll(f, noon.Add(-60*time.Minute))
	if p := Progress(&f.Record.Status); p.Status != metav1.ConditionUnknown {
		t.Fatalf("it says %s %s", p.Reason, p.Message)
	}
	f = with(f, func(f *Facts) { f.Safety.Paused = Cause{} })
	f, _ = decideAll(f, noon)
	if Ended(f.Record) {
		t.Errorf("right after the pause it has ended: %s, although the successor was judged healthy for 1 of 5 minutes", Success(&f.Record.Status).Reason)
	}
}

// TestAskedAnewAfterAskedFirst: the annotation that led to the record is gone, and somebody sets it again. That is newly seen.
func TestAskedAnewAfterAskedFirst(t *testing.T) {
	for _, reason := range []string{"ReadyUnhealthy", findingAsked} {
		f := with(plan(replace(), holdStep()), func(f *Facts) { f.Record.Spec.Finding.Reason = reason }, remediateAsked)
		f, d := decideAll(f, noon.Add(-2*time.Hour))
		if d.Act != MarkForOwner {
			t.Fatalf("%s: %+v", reason, d.Act)
		}
		f = with(f, begins("replace", 2*time.Hour), func(f *Facts) { Last(&f.Record.Status).ObjectRef = machineSet() })
		f.Machine.Mark = Mark{State: MarkWaiting, Ours: true}
		f.Machine.OwnerActive = true
		f, _ = decideAll(f, noon.Add(-time.Hour)) // timed out
		f.Machine.Mark = Mark{}
		f, _ = decideAll(f, noon.Add(-59*time.Minute))
		if f.Record.Status.Phase != v1alpha1.RemediationHeld {
			t.Fatalf("%s: %s", reason, Progress(&f.Record.Status).Message)
		}
		f.RemediateAsked = false // taken away; the machine is sick all the same
		f, _ = decideAll(f, noon.Add(-50*time.Minute))
		f.RemediateAsked = true // and set again
		f, _ = decideAll(f, noon.Add(-40*time.Minute))
		if f.Record.Status.Phase == v1alpha1.RemediationHeld {
			t.Errorf("finding %s: nobody hears the annotation: %s", reason, Progress(&f.Record.Status).Message)
		}
	}
}
