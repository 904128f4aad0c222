package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestClockOfAnotherLeaderDelaysNothing: the leader before had a clock that was two days ahead. Nothing waits for longer than if it had
// begun now.
func TestClockOfAnotherLeaderDelaysNothing(t *testing.T) {
	const ahead = 48 * time.Hour
	for name, tt := range map[string]struct {
		facts Facts
		// within is how long it may take until something follows.
		within time.Duration
	}{
		"a step that waits":  {with(plan(wait(), holdStep()), begins("watch", -ahead)), 10 * time.Minute},
		"a silent owner":     {with(plan(replace(), holdStep()), bounded, asks("replace", -ahead)), AnswerTime},
		"a power cycle":      {with(plan(reboot(), holdStep()), works("reboot", -ahead)), 30 * time.Minute},
		"the probation":      {with(plan(reboot(), holdStep()), works("reboot", time.Hour), recovering(-ahead)), 5 * time.Minute},
		"a back-off":         {with(plan(replace()), waits("replace", 2), noSlot, dueIn(ahead)), maxRest + maxRest/2},
		"after a withdrawal": {with(plan(replace()), asks("replace", time.Hour), over(v1alpha1.ResultNotBegun, "replace"), noSlot, dueIn(ahead)), maxRest + maxRest/2},
	} {
		f, _ := decideAll(tt.facts, noon)
		before := Progress(&f.Record.Status)
		f, d := decideAll(f, noon.Add(tt.within))
		wants, _ := WantsSlot(f.Record, noon.Add(tt.within))
		if after := Progress(&f.Record.Status); d.Act == None && !wants && after.Message == before.Message && f.Record.Status.CompletionTime == nil {
			t.Errorf("%s: after %s nothing has followed: %s: %s, due %v", name, tt.within, f.Record.Status.Phase, after.Message, f.Record.Status.NextTransitionTime)
		}
	}
}
