package ladder

import (
	"slices"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestPauseTakesBackWhatHasNotBegun: under any pause, a mark and a power cycle that nobody has begun are withdrawn, and again if an owner's late
// write brings the mark back. The slot goes to others, and the repair begins again after the pause.
func TestPauseTakesBackWhatHasNotBegun(t *testing.T) {
	for name, stop := range map[string]change{"paused": paused, "hold": unsafe(func(s *Safety) { s.OnHold = "ann holds it" })} {
		for mark, says := range map[string]change{"silent": marked, "busy": busyOwner, "defers": owner(MarkDeferred, ""), "answers": owner(MarkAnswered, "")} {
			t.Run(name+" "+mark, func(t *testing.T) {
				w := &story{f: plan(replace(), holdStep()), now: noon, asked: says}
				w.until(time.Minute)
				w.f = with(w.f, stop)
				w.until(3 * time.Minute)
				if c := Progress(&w.f.Record.Status); w.f.Machine.Mark.Stands() || HasSlot(w.f.Record) || w.f.Record.Status.Phase != v1alpha1.RemediationPending {
					t.Fatalf("it is %s: %s after %v", c.Reason, c.Message, w.acts)
				}
				w.f.Machine.Mark = Mark{State: MarkDeferred, Ours: true}
				w.until(5 * time.Minute)
				if w.f.Machine.Mark.Stands() {
					t.Errorf("the mark that came back stays: %v", w.acts)
				}
				w.f.Safety, w.acts = Safety{}, nil
				w.until(15 * time.Minute)
				if !slices.Equal(w.acts, []Act{MarkForOwner}) || Tried(w.f.Record, "replace") != 1 {
					t.Errorf("after the pause it does %v: %+v", w.acts, w.f.Record.Status.Attempts)
				}
			})
		}
	}
}

// TestWaysOutOfAPause: each way to take a machine out of repair works under each pause: nothing that was asked for stays, and the record ends or
// is held without a slot.
func TestWaysOutOfAPause(t *testing.T) {
	for name, out := range map[string]change{
		"cancel": decides(v1alpha1.AnswerCancel, ""), "delete": recordIsDeleted, "skip": unmanaged, "healthy": is(Healthy),
	} {
		for what, facts := range map[string]Facts{
			"a mark":                   with(plan(replace(), holdStep()), asks("replace", time.Minute), owner(MarkDeferred, "preflight checks")),
			"a power cycle":            with(plan(reboot(), replace()), asks("reboot", time.Minute)),
			"a power cycle, begun":     with(plan(reboot(), replace()), works("reboot", time.Minute)),
			"a power cycle, not known": with(plan(reboot(), replace()), asks("reboot", time.Minute), unreadable),
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				w := &story{f: with(facts, paused, out), now: noon}
				w.until(time.Hour + time.Minute)
				if w.f.Machine.Mark.Stands() || HasSlot(w.f.Record) || (w.f.Request != nil && w.f.Request.Unreadable == "") {
					t.Errorf("it does %v, and is %s: %s", w.acts, w.f.Record.Status.Phase, Progress(&w.f.Record.Status).Message)
				}
				if ends := name == "delete" || name == "skip"; Ended(w.f.Record) != ends {
					t.Errorf("it is %s: %s", w.f.Record.Status.Phase, Progress(&w.f.Record.Status).Message)
				}
			})
		}
	}
}

// TestPauseLeavesWhatHasBegun: a request and a deletion go on after the pause as if it had not been.
func TestPauseLeavesWhatHasBegun(t *testing.T) {
	for name, facts := range map[string]Facts{
		"a request":  with(plan(request(), holdStep()), works("request", time.Minute)),
		"a deletion": with(plan(replace(), holdStep()), replacing(time.Minute)),
	} {
		w := &story{f: with(facts, paused), now: noon}
		w.until(2 * time.Hour)
		if attempt := AtWork(w.f.Record); len(w.acts) > 0 || attempt == nil || !HasSlot(w.f.Record) {
			t.Errorf("%s: it does %v: %+v", name, w.acts, w.f.Record.Status)
		}
	}
}
