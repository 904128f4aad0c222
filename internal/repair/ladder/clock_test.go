package ladder

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// clock is where the clock of an attempt stands.
type clock struct{ Stopped, Due string }

// TestWhatStopsTheClock: what stops the clock of an attempt, and what lets it go on.
func TestWhatStopsTheClock(t *testing.T) {
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
		"the owner was busy a moment ago":     {with(plan(replace(), holdStep()), asks("replace", 30*time.Minute), bounded, dueIn(30*time.Minute)), clock{"", "30m0s"}},
		"it begins":                           {asked(bounded, deleting(time.Minute)), clock{"0s", "59m0s"}},
		"the machine is being deleted":        {deleted(), clock{"0s", "30m0s"}},
		"the machine is deleted, and a pause": {deleted(paused), clock{"0s", "30m0s"}},
		"the machine is gone":                 {deleted(goneNow, stoppedFor(time.Minute)), clock{"", "31m0s"}},
		"the machine is gone, under a pause":  {deleted(goneNow, paused), clock{"0s", "30m0s"}},
		"the machine is gone, on hold":        {deleted(goneNow, onHold, stoppedFor(time.Minute)), clock{"-1m0s", "30m0s"}},
		"its successor is healthy":            {deleted(goneNow, stoppedFor(time.Minute), successorIs(Successor{Health: Healthy, HealthySince: noon})), clock{"", "31m0s"}},
		"built-in: the machine is deleted":    {with(builtin(replace()), asks("replace", time.Minute), deleting(time.Second)), clock{"", ""}},
		"built-in: the deletion takes longer": {with(builtin(replace()), asks("replace", time.Minute), deleting(quickDeletion)), clock{"", "59m30s"}},
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

// TestClockOfAnotherLeaderDelaysNothing: the leader before had a clock that was two days ahead. Nothing waits for longer than if it had
// begun now.
func TestClockOfAnotherLeaderDelaysNothing(t *testing.T) {
	const ahead = 48 * time.Hour
	for name, tt := range map[string]struct {
		facts Facts
		// within is how long it may take until something follows.
		within time.Duration
	}{
		"a step that waits": {with(plan(wait(), holdStep()), begins("watch", -ahead)), 10 * time.Minute},
		"a silent owner":    {with(plan(replace(), holdStep()), bounded, asks("replace", -ahead)), AnswerTime},
		"a power cycle":     {with(plan(reboot(), holdStep()), works("reboot", -ahead)), 30 * time.Minute},
		"the probation":     {with(plan(reboot(), holdStep()), works("reboot", time.Hour), recovering(-ahead)), 5 * time.Minute},
		"a back-off":        {with(plan(replace()), waits("replace", 2), noSlot, dueIn(ahead)), maxRest + maxRest/2},
		"a successor": {
			with(plan(replace(), holdStep()), replacing(time.Hour), goneNow, successorIs(Successor{Health: Healthy, HealthySince: noon.Add(ahead)})), 5 * time.Minute,
		},
		"a successor, and the first status": {
			with(plan(replace(), holdStep()), replacing(time.Hour), goneNow, successorIs(Successor{Health: Healthy, HealthySince: noon}), progressingSince(noon.Add(ahead))),
			5 * time.Minute,
		},
		"after a withdrawal": {with(plan(replace()), asks("replace", time.Hour), over(v1alpha1.ResultNotBegun, "replace"), noSlot, dueIn(ahead)), maxRest + maxRest/2},
	} {
		f, _ := decideAll(tt.facts, noon)
		if f.Record.Status.CompletionTime != nil {
			t.Errorf("%s: it has ended at once", name)
		}
		before := Progress(&f.Record.Status)
		f, d := decideAll(f, noon.Add(tt.within))
		wants, _ := WantsSlot(f.Record, noon.Add(tt.within))
		if after := Progress(&f.Record.Status); d.Act == None && !wants && after.Message == before.Message && f.Record.Status.CompletionTime == nil {
			t.Errorf("%s: after %s nothing has followed: %s: %s, due %v", name, tt.within, f.Record.Status.Phase, after.Message, f.Record.Status.NextTransitionTime)
		}
	}
}

// progressingSince has Progressing have its status since then.
func progressingSince(at time.Time) change {
	return func(f *Facts) {
		meta.SetStatusCondition(&f.Record.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonActing, LastTransitionTime: metav1.NewTime(at),
		})
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
