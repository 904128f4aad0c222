package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestReasonEndsWithItsCause: a record rests, as its owner refuses. A pause of a minute, or a moment in which nobody can
// judge the machine, is not what it says for the rest of that time.
func TestReasonEndsWithItsCause(t *testing.T) {
	for name, cause := range map[string]struct{ set, unset change }{
		"pause":         {paused, unsafe(func(s *Safety) { s.Paused = "" })},
		"hold":          {onHold, unsafe(func(s *Safety) { s.OnHold, s.HoldUntil = "", time.Time{} })},
		"undecided":     {is(Undecided), is(Sick)},
		"others":        {claimed, unsafe(func(s *Safety) { s.HeldByOthers = "" })},
		"misconfigured": {misconfigured, unsafe(func(s *Safety) { s.Misconfigured = "" })},
	} {
		t.Run(name, func(t *testing.T) {
			f, d := decideAll(with(builtin(replace()), asks("replace", time.Hour), owner(MarkRefused, "too few replicas")), noon)
			if d.Act != WithdrawMark {
				t.Fatalf("it does %q", d.Act)
			}
			f.Machine.Mark = Mark{}
			f, _ = decideAll(f, noon)
			before := Progress(&f.Record.Status)
			if before.Reason != v1alpha1.ReasonRefused {
				t.Fatalf("it says %s: %s", before.Reason, before.Message)
			}
			f, _ = decideAll(with(f, cause.set), noon.Add(10*time.Second))
			if during := Progress(&f.Record.Status); during.Reason == before.Reason {
				t.Fatalf("it does not say why it is stopped: %s", during.Message)
			}
			f, _ = decideAll(with(f, cause.unset), noon.Add(20*time.Second))
			if after := Progress(&f.Record.Status); after.Reason != before.Reason || after.Message != before.Message {
				t.Errorf("it says %s=%s: %s", after.Reason, after.Status, after.Message)
			}
		})
	}
}

// TestHiddenReasonStays: what only a judgement past the caches shows is said as long as the record backs off because of it.
func TestHiddenReasonStays(t *testing.T) {
	f, _ := decideAll(with(plan(replace()), hidden), noon)
	f, _ = decideAll(with(f, unsafe(func(s *Safety) { s.OthersAtWork = "" })), noon.Add(time.Second))
	if c := Progress(&f.Record.Status); c.Reason != v1alpha1.ReasonRemediationHeldByOthers {
		t.Errorf("it says %s: %s", c.Reason, c.Message)
	}
}
