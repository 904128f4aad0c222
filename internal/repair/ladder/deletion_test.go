package ladder

import (
	"strings"
	"testing"
	"time"
)

// TestNothingIsPromisedAfterADeletion: a machine that is being deleted will be gone, so the plan does not go on, whatever it is, and nobody says so.
func TestNothingIsPromisedAfterADeletion(t *testing.T) {
	tests := map[string]struct {
		facts Facts
		want  string
	}{
		"a built-in plan":              {with(builtin(replace()), works("replace", time.Minute), deleting(30*time.Second)), "Step replace: the machine is being deleted; waits until it is gone"},
		"a plan that would go on":      {with(plan(replace(), holdStep()), works("replace", time.Minute), deleting(30*time.Second)), "Step replace: the machine is being deleted; waits until it is gone"},
		"a machine that nobody owns":   {with(builtin(replace()), orphan, works("replace", time.Minute), deleting(30*time.Second)), "Step replace: the machine is being deleted; waits until it is gone"},
		"a power cycle, then deletion": {with(plan(reboot(), replace()), works("reboot", time.Minute), deleting(30*time.Second)), "Step reboot, 1 of 2: waits for the power cycle of its host; nothing follows, because the machine is being deleted"},
		"a built-in power cycle":       {with(builtin(reboot()), works("reboot", time.Minute), deleting(time.Second)), "Step reboot, 1 of 2: waits for the power cycle of its host; nothing follows, because the machine is being deleted"},
		"a request, then deletion":     {with(plan(request(), replace()), works("request", time.Minute), deleting(30*time.Second)), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Progress(new(Decide(tt.facts, noon).Status)).Message
			if tt.want != "" && got != tt.want {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
			for _, promise := range []string{"begins again", "follows if", "decides if"} {
				if strings.Contains(got, promise) {
					t.Errorf("it promises what cannot be: %s", got)
				}
			}
		})
	}
}

// TestYoungDeletionCostsNoWrite: most machines are gone before anybody needs to know that their deletion has begun.
func TestYoungDeletionCostsNoWrite(t *testing.T) {
	before := with(builtin(replace()), works("replace", time.Minute))
	said := Decide(before, noon).Status
	young := with(builtin(replace()), works("replace", time.Minute), deleting(time.Second))
	young.Record.Status = said
	if d := Decide(young, noon); d.Store {
		t.Errorf("it stores %+v", d.Status)
	}
	old := with(builtin(replace()), works("replace", time.Minute), deleting(soonGone))
	old.Record.Status = said
	if d := Decide(old, noon); !d.Store || Progress(&d.Status).Message != "Step replace: the machine is being deleted; waits until it is gone" {
		t.Errorf("after a while it stores %t, and says %q", d.Store, Progress(&d.Status).Message)
	}
}
