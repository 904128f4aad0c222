package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestProbationAfterAPauseThatNobodySaw: the machine itself was judged healthy a minute before a pause of an hour, during which Sickbay was down. That
// time proves nothing, as for a successor: rule 11, a pause that nobody saw restarts the clock.
func TestProbationAfterAPauseThatNobodySaw(t *testing.T) {
	f := with(plan(reboot(), replace()), works("reboot", 2*time.Hour), is(Healthy))
	f, _ = decideAll(f, noon.Add(-61*time.Minute)) // healthy: the attempt is over, its request goes
	f.Request = nil
	f, _ = decideAll(f, noon.Add(-61*time.Minute))
	if f.Record.Status.Phase != v1alpha1.RemediationProbation {
		t.Fatalf("it is %s: %s", f.Record.Status.Phase, Progress(&f.Record.Status).Message)
	}
	// The pause began an hour ago, and has just ended.
	f.ResumedAt = noon.Add(-time.Second)
	f, _ = decideAll(f, noon)
	if Ended(f.Record) {
		t.Errorf("right after the pause it has ended: %s, although the machine was judged healthy for 1 of 5 minutes", Success(&f.Record.Status).Reason)
	}
	if f, _ = decideAll(f, noon.Add(6*time.Minute)); !Ended(f.Record) {
		t.Errorf("it never ends: %s", Progress(&f.Record.Status).Message)
	}
}

// TestGoneWithoutAnAnswer: the intent of a mark is stored, and the machine is gone before anybody saw whether it was marked. Nobody knows who had it
// deleted, so the record does not say that it was not this remediation.
func TestGoneWithoutAnAnswer(t *testing.T) {
	f := with(plan(replace()), func(f *Facts) { f.Record.Annotations = map[string]string{OwnerUIDAnnotation: "ms-1"} }, begins("replace", 10*time.Minute), goneNow)
	f, _ = decideAll(f, noon)
	if got := Success(&f.Record.Status); got.Reason != v1alpha1.ReasonMachineDeleted || got.Message != "The machine is gone" {
		t.Errorf("it has ended: %s: %s", got.Reason, got.Message)
	}
}
