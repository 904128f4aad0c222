//go:build review

package ladder

import (
	"testing"
	"time"
)

// TestReviewOwnerAnswersAndDeletesNothing: a MachineSet says that it deletes the machine before it does, and says so for ever
// if a webhook refuses the deletion. Somebody has to be told, or the slot has to go to others.
func TestReviewOwnerAnswersAndDeletesNothing(t *testing.T) {
	for name, facts := range map[string]Facts{
		"built-in":  with(builtin(replace()), works("replace", time.Minute), owner(MarkAnswered, "Machine is deleting")),
		"of a plan": with(plan(replace(), holdStep()), works("replace", time.Minute), owner(MarkAnswered, "Machine is deleting")),
	} {
		t.Run(name, func(t *testing.T) {
			f, first := decideAll(facts, noon)
			f, d := decideAll(f, noon.Add(7*24*time.Hour))
			was, is := first.Status.Conditions[0], d.Status.Conditions[0]
			if is.Message == was.Message && HasSlot(f.Record) {
				t.Errorf("after a week it has its slot, looks again at %v, and says as in the first minute: %s", d.RecheckAt, is.Message)
			}
		})
	}
}
