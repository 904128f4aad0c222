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
		return with(with(plan(replace(), holdStep()), works("replace", 30*time.Minute), busyOwner), changes...)
	}
	for name, tt := range map[string]struct {
		facts Facts
		want  clock
	}{
		"it runs":                              {p(), clock{"", "30m0s"}},
		"a pause":                              {p(paused), clock{"0s", "30m0s"}},
		"a pause that goes on":                 {p(paused, stoppedFor(time.Minute)), clock{"-1m0s", "30m0s"}},
		"a pause, seen when the time was up":   {p(paused, dueIn(-time.Minute)), clock{"0s", "1h0m0s"}},
		"a pause, seen just before that":       {p(paused, dueIn(time.Second)), clock{"0s", "1s"}},
		"a pause is over":                      {p(stoppedFor(time.Minute)), clock{"", "31m0s"}},
		"a pause that was to end in the past":  {p(stoppedFor(-time.Minute)), clock{"", "30m0s"}},
		"the owner defers":                     {p(owner(MarkDeferred, "")), clock{"0s", "30m0s"}},
		"the owner refuses":                    {p(owner(MarkRefused, "")), clock{"0s", "30m0s"}},
		"the owner refuses after it deferred":  {p(owner(MarkRefused, ""), stoppedBy(byDeferral, time.Minute)), clock{"0s", "31m0s"}},
		"the owner answers":                    {p(owner(MarkAnswered, "")), clock{"0s", "30m0s"}},
		"the machine is being deleted":         {p(deleting(time.Minute)), clock{"0s", "30m0s"}},
		"the machine is gone":                  {p(goneNow, stoppedFor(time.Minute)), clock{"", "31m0s"}},
		"the machine is gone, under a pause":   {p(goneNow, paused), clock{"0s", "30m0s"}},
		"the machine is gone, on hold":         {p(goneNow, onHold, stoppedFor(time.Minute)), clock{"-1m0s", "30m0s"}},
		"its successor is healthy":             {p(goneNow, stoppedFor(time.Minute), successorIs(Successor{Health: Healthy, HealthySince: noon})), clock{"", "31m0s"}},
		"built-in: the machine is deleted":     {with(builtin(replace()), works("replace", time.Minute), deleting(time.Second)), clock{"", "59m0s"}},
		"built-in: the owner answers":          {with(builtin(replace()), works("replace", time.Minute), owner(MarkAnswered, "")), clock{"", "59m0s"}},
		"built-in: the owner defers":           {with(builtin(replace()), works("replace", time.Minute), owner(MarkDeferred, "")), clock{"0s", "59m0s"}},
		"it has come to an end":                {p(stoppedFor(time.Minute), is(Healthy)), clock{"", ""}},
		"it is cancelled":                      {p(stoppedFor(time.Minute), decides(v1alpha1.AnswerCancel, "")), clock{"", ""}},
		"the record has come to an end":        {p(stoppedFor(time.Minute), goneNow, unmanaged), clock{"", ""}},
		"a request works":                      {with(plan(request()), works("request", time.Hour), stoppedFor(time.Minute)), clock{"", "23h1m0s"}},
		"an act is seen long after its intent": {with(plan(reboot(), replace()), begins("replace", 2*time.Hour), marked), clock{"", "1h0m0s"}},
		"an act is seen under a pause":         {with(plan(reboot(), replace()), begins("replace", 2*time.Hour), marked, stoppedFor(time.Hour), paused), clock{"-1h0m0s", "1h0m0s"}},
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
