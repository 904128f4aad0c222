package ladder

import (
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestOwnerAnswersAndDeletesNothing: a MachineSet says that it deletes the machine before it does, and says so for ever if a
// webhook refuses the deletion. After an hour, the mark is withdrawn, and the slot goes to others.
func TestOwnerAnswersAndDeletesNothing(t *testing.T) {
	for name, facts := range map[string]Facts{
		"built-in":  with(builtin(replace()), asks("replace", 0), owner(MarkAnswered, "Machine is deleting"), bounded),
		"of a plan": with(plan(replace(), holdStep()), asks("replace", 0), owner(MarkAnswered, "Machine is deleting"), bounded),
	} {
		t.Run(name, func(t *testing.T) {
			f, now := facts, noon
			var d Decision
			for range 4 {
				if f, d = decideAll(f, now); d.Act != None {
					break
				}
				now = d.RecheckAt
			}
			if waited := now.Sub(noon); d.Act != WithdrawMark || waited != busyTime+deletesSoon {
				t.Fatalf("after %s: %q", waited, d.Act)
			}
			if last := Last(&f.Record.Status); last.Result != v1alpha1.ResultWithdrawn || !strings.Contains(last.Message, "MachineSet md-0 says that it deletes the machine, but has not done so") {
				t.Errorf("it is %s: %q", last.Result, last.Message)
			}
			f.Machine.Mark = Mark{}
			if f, _ = decideAll(f, now); HasSlot(f.Record) {
				t.Errorf("it keeps its slot: %+v", f.Record.Status)
			}
		})
	}
}

// TestAnsweredMarkDoesNotStay: the owner says that it deletes the machine, and does not. The mark is taken back before the record ends:
// later, the owner would go by it past gate, slots and pauses.
func TestAnsweredMarkDoesNotStay(t *testing.T) {
	said := with(builtin(replace()), works("replace", 50*time.Minute), owner(MarkAnswered, "MachineDeleting"))
	later := with(plan(replace()), works("replace", 50*time.Minute), owner(MarkAnswered, "MachineDeleting"))
	for name, facts := range map[string]Facts{
		"the machine is healthy by itself":        with(said, is(Healthy)),
		"the machine is healthy, and a plan":      with(later, is(Healthy)),
		"ann cancels":                             with(said, decides(v1alpha1.AnswerCancel, "")),
		"ann cancels, and the machine is healthy": with(later, is(Healthy), decides(v1alpha1.AnswerCancel, "")),
	} {
		t.Run(name, func(t *testing.T) {
			f, now := facts, noon
			var d Decision
			for range 5 {
				if f, d = decideAll(f, now); d.Act != None || d.RecheckAt.IsZero() {
					break
				}
				now = d.RecheckAt
			}
			if d.Act != WithdrawMark || now.Sub(noon) != deletesSoon {
				c := Progress(&f.Record.Status)
				t.Fatalf("after %s it does %q, and is %s (%s: %s)", now.Sub(noon), d.Act, f.Record.Status.Phase, c.Reason, c.Message)
			}
			f.Machine.Mark = Mark{}
			if f, _ = decideAll(f, now); HasSlot(f.Record) {
				t.Errorf("it keeps its slot: %+v", f.Record.Status)
			}
		})
	}
}

// TestAnsweredMarkOfAnUndecidedMachine: the record does not end unproven before the owner has had its time.
func TestAnsweredMarkOfAnUndecidedMachine(t *testing.T) {
	f := with(plan(replace()), works("replace", 2*time.Hour), owner(MarkAnswered, "MachineDeleting"), is(Healthy))
	f, _ = decideAll(f, noon)
	f, now := with(f, is(Undecided)), noon.Add(time.Minute)
	var d Decision
	for range 5 {
		if f, d = decideAll(f, now); d.Act != None || d.RecheckAt.IsZero() {
			break
		}
		now = d.RecheckAt
	}
	if d.Act != WithdrawMark {
		t.Errorf("after %s it does %q, and is %s", now.Sub(noon), d.Act, f.Record.Status.Phase)
	}
}
