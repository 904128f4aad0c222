package ladder

import (
	"strings"
	"testing"
	"time"
)

// TestOwnerAnswersAndDeletesNothing: a MachineSet says that it deletes the machine before it does, and says so for ever if a
// webhook refuses the deletion. The attempt fails after an hour, and the slot goes to others.
func TestOwnerAnswersAndDeletesNothing(t *testing.T) {
	for name, facts := range map[string]Facts{
		"built-in":  with(builtin(replace()), works("replace", time.Minute), owner(MarkAnswered, "Machine is deleting")),
		"of a plan": with(plan(replace(), holdStep()), works("replace", time.Minute), owner(MarkAnswered, "Machine is deleting")),
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
			if waited := now.Sub(noon); d.Act != WithdrawMark || waited < time.Hour || waited > time.Hour+AnswerTime {
				t.Fatalf("after %s: %q", waited, d.Act)
			}
			if last := latest(&f.Record.Status); !strings.Contains(last.Message, "MachineSet md-0 says since 2026-06-01T12:") {
				t.Errorf("it says %q", last.Message)
			}
			f.Machine.Mark = Mark{}
			if f, _ = decideAll(f, now); HasSlot(f.Record) {
				t.Errorf("it keeps its slot: %+v", f.Record.Status)
			}
		})
	}
}
