package cycle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// bySick makes the request one of a health check that calls the machine sick.
func bySick(f *Facts) { f.Machine.ByHealthCheck, f.Machine.Sick = true, true }

// TestJudgedAfterAnotherCycle: when a health check's cycle has waited for another cycle, it does not begin the moment that one ends. The
// other cycle may have healed the machine, and the verdict is older. For a person's request, the verdict does not matter.
func TestJudgedAfterAnotherCycle(t *testing.T) {
	const pending, poweringOff = v1alpha1.Pending, v1alpha1.PoweringOff
	for name, by := range map[string]change{"a health check": bySick, "a record": allOf(bySick, ofRecord)} {
		waiting := settled(in(pending, by, beside(sibling("person", v1alpha1.Restoring))))
		waiting.Siblings[0].Status.Phase = v1alpha1.Succeeded
		ended := waiting
		first := Decide(ended, noon.Time)
		ended.Status = first.Status
		sound := ended
		sound.Machine.Healthy, sound.Machine.Sick = true, false
		t.Run(name, func(t *testing.T) {
			check(t, []row{
				{name: "it has ended", facts: waiting, want: stores(pending, "Pending").lookingAgain(0)},
				{name: "a moment later", facts: ended, after: moment, want: waits(pending, CoolDown)},
				{name: "it has helped", facts: sound, after: moment, want: stores(v1alpha1.Aborted, v1alpha1.ReasonRecovered)},
				{name: "it has not", facts: ended, after: CoolDown, want: stores(poweringOff, string(poweringOff))},
			})
		})
	}
	person := settled(in(pending, beside(sibling("health", v1alpha1.Restoring))))
	person.Siblings[0].Status.Phase = v1alpha1.Succeeded
	check(t, []row{{name: "a person", facts: person, want: stores(poweringOff, string(poweringOff))}})
}

// TestNoOwnerAfterAnotherCycle: nor is the owner asked to replace a machine the moment another cycle has healed it.
func TestNoOwnerAfterAnotherCycle(t *testing.T) {
	const failed, why = v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut
	waiting := settled(in(failed, bySick, markedUnhealthy, func(f *Facts) { f.Status.Outcome = why }, beside(sibling("person", v1alpha1.Restoring))))
	waiting.Siblings[0].Status.Phase = v1alpha1.Succeeded
	ended := waiting
	ended.Status = Decide(ended, noon.Time).Status
	sound := ended
	sound.Machine.Healthy, sound.Machine.Sick = true, false
	check(t, []row{
		{name: "it has ended", facts: waiting, want: stores(failed, string(failed))},
		{name: "a moment later", facts: ended, after: moment, want: waits(failed, CoolDown)},
		{name: "it has helped", facts: sound, after: moment, want: does(failed, RemoveFinalizer)},
		{name: "it has not", facts: ended, after: CoolDown, want: does(failed, MarkForOwner)},
	})
}

// TestVerdictOfARecordAfterAPause: an attempt of a record depends on the verdict, too. The record may withdraw it a moment later, and the
// host would be off by then.
func TestVerdictOfARecordAfterAPause(t *testing.T) {
	f := settled(in(v1alpha1.Pending, ofRecord, underPause))
	f.Paused = ""
	if d := Decide(f, noon.Add(time.Hour)); d.Status.Phase != v1alpha1.Pending {
		t.Errorf("in the moment in which the pause ends: %s", d)
	}
}

// TestOneOfTwoStandsBack: a cycle goes on after a pause at the very moment a person's cycle begins. The first one stands back in any
// phase. Otherwise the person's would stand back for it between two attempts, or while its Node comes back.
func TestOneOfTwoStandsBack(t *testing.T) {
	for _, phase := range []v1alpha1.Phase{v1alpha1.Restoring, v1alpha1.WaitingForMachine, v1alpha1.CoolingDown} {
		f := in(phase, bySick, beside(sibling("person", v1alpha1.PoweringOff)))
		if s := Decide(f, noon.Time).Status; !StandsBack(&s) {
			t.Errorf("%s beside the cycle of a person: %+v", phase, s)
		}
		f.Siblings[0].Status.Phase, f.Status.PausedSince, f.Status.SuspendedSince = v1alpha1.Succeeded, &noon, &noon
		f.Siblings[0].Status.FinishedAt = new(metav1.NewTime(noon.Add(time.Hour)))
		if s := Decide(f, noon.Add(time.Hour)).Status; StandsBack(&s) {
			t.Errorf("%s afterwards: %+v", phase, s)
		}
	}
}
