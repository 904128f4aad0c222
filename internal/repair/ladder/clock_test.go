package ladder

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// clock is where the clock of an attempt stands.
type clock struct{ Stopped, Due string }

// TestClock: what stops the clock of an attempt, and what lets it go on.
func TestClock(t *testing.T) {
	p := func(changes ...change) Facts {
		return with(with(plan(request(), holdStep()), works("request", 23*time.Hour+30*time.Minute)), changes...)
	}
	deleted := func(changes ...change) Facts {
		return with(with(plan(replace(), holdStep()), replacing(30*time.Minute)), changes...)
	}
	asked := func(changes ...change) Facts {
		return with(with(plan(replace(), holdStep()), asks("replace", 30*time.Minute), busyOwner), changes...)
	}
	for name, tt := range map[string]struct {
		facts Facts
		want  clock
	}{
		"it runs":                             {p(), clock{"", "30m0s"}},
		"a pause":                             {p(paused), clock{"0s", "30m0s"}},
		"a pause that goes on":                {p(paused, stoppedFor(time.Minute)), clock{"-1m0s", "30m0s"}},
		"a pause, seen when the time was up":  {p(paused, dueIn(-time.Minute)), clock{"0s", "24h0m0s"}},
		"a pause, seen just before that":      {p(paused, dueIn(time.Second)), clock{"0s", "1s"}},
		"a pause is over":                     {p(stoppedFor(time.Minute)), clock{"", "31m0s"}},
		"a pause that was to end in the past": {p(stoppedFor(-time.Minute)), clock{"", "30m0s"}},
		"it has not begun":                    {asked(), clock{"", ""}},
		"it has not begun, and others wait":   {asked(bounded), clock{"", "30m0s"}},
		"the owner defers, and others wait":   {asked(bounded, owner(MarkDeferred, "")), clock{"", "30m0s"}},
		"it begins":                           {asked(bounded, deleting(time.Minute)), clock{"0s", "59m0s"}},
		"the machine is being deleted":        {deleted(), clock{"0s", "30m0s"}},
		"the machine is deleted, and a pause": {deleted(paused), clock{"0s", "30m0s"}},
		"the machine is gone":                 {deleted(goneNow, stoppedFor(time.Minute)), clock{"", "31m0s"}},
		"the machine is gone, under a pause":  {deleted(goneNow, paused), clock{"0s", "30m0s"}},
		"the machine is gone, on hold":        {deleted(goneNow, onHold, stoppedFor(time.Minute)), clock{"-1m0s", "30m0s"}},
		"its successor is healthy":            {deleted(goneNow, stoppedFor(time.Minute), successorIs(Successor{Health: Healthy, HealthySince: noon})), clock{"", "31m0s"}},
		"built-in: the machine is deleted":    {with(builtin(replace()), asks("replace", time.Minute), deleting(time.Second)), clock{"", ""}},
		"built-in: the deletion takes longer": {with(builtin(replace()), asks("replace", time.Minute), deleting(soonGone)), clock{"", "59m30s"}},
		"it has come to an end":               {p(stoppedFor(time.Minute), is(Healthy)), clock{"", ""}},
		"it is cancelled":                     {p(stoppedFor(time.Minute), decides(v1alpha1.AnswerCancel, "")), clock{"", ""}},
		"the record has come to an end":       {deleted(stoppedFor(time.Minute), goneNow, unmanaged), clock{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := Decide(tt.facts, noon).Status, clock{}
			if s.StoppedTime != nil {
				got.Stopped = s.StoppedTime.Sub(noon).String()
			}
			if s.NextTransitionTime != nil {
				got.Due = s.NextTransitionTime.Sub(noon).String()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("clock (-want +got):\n%s", diff)
			}
		})
	}
}
