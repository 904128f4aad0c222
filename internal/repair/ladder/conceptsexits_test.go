package ladder

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// conceptsExit is something that happens to an attempt at work.
type conceptsExit struct {
	observed string
	happens  change
}

func timeIsUp(f *Facts) {
	f.Record.Status.NextTransitionTime = ago(0)
	f.Machine.OwnerActive = true
}

// The exits that several steps have.
var (
	exitHealthy  = conceptsExit{"the machine is healthy", is(Healthy)}
	exitTimeIsUp = conceptsExit{"its time is up", timeIsUp}
	exitUnclear  = conceptsExit{"its time is up, and nobody can tell whether the machine is healthy", func(f *Facts) { timeIsUp(f); f.Machine.Health = Undecided }}
	exitPaused   = conceptsExit{"a pause", paused}
	exitHandBack = conceptsExit{"the machine is not selected any more", unmanaged}
	exitCancel   = conceptsExit{"a person cancels", decides(v1alpha1.AnswerCancel, "")}
	exitGone     = conceptsExit{"somebody deletes the machine, and it is gone", goneNow}
	exitTaken    = conceptsExit{"somebody deletes the request", func(f *Facts) { f.Request = nil }}
)

// conceptsExits are the exits of each step, for a plan in which it is tried once and something follows.
func conceptsExits() []struct {
	step  string
	facts Facts
	exits []conceptsExit
} {
	p := func() Facts { return plan(wait(), reboot(), collect(), request(), replace(), holdStep()) }
	type s = struct {
		step  string
		facts Facts
		exits []conceptsExit
	}
	return []s{
		{"`Wait`", with(p(), begins("watch", time.Minute)), []conceptsExit{exitHealthy, exitTimeIsUp, exitUnclear, exitPaused, exitHandBack, exitCancel, exitGone}},
		{"`Request`", with(p(), works("request", time.Minute)), []conceptsExit{
			exitHealthy, {"the request says `Succeeded=True`", requestSays("True", "")}, {"the request says `Succeeded=False`", requestSays("False", "no luck")},
			exitTaken, exitTimeIsUp, exitUnclear, exitPaused, exitHandBack, exitCancel, exitGone,
		}},
		{"`RequestSucceeded`", with(p(), works("collect", time.Minute)), []conceptsExit{
			exitHealthy, {"the request says `Succeeded=True`", requestSays("True", "")}, {"the request says `Succeeded=False`", requestSays("False", "no room")},
			exitTaken, exitTimeIsUp, exitPaused, exitHandBack, exitCancel, exitGone,
		}},
		{"`Reboot`, not begun", with(p(), asks("reboot", time.Minute), bounded), []conceptsExit{
			exitHealthy, {"a person keeps the host off", keptOff}, {"it has waited for its turn for an hour", asked(time.Hour)},
			{"its host cannot be cycled at all", func(f *Facts) { requestSays("False", "no host")(f); f.Request.Impossible = true }},
			{"it can no longer be read", unreadable}, exitTaken, exitPaused, exitHandBack, exitCancel, exitGone,
		}},
		{"`Reboot`, begun", with(p(), works("reboot", time.Minute)), []conceptsExit{
			exitHealthy, {"its RebootRemediation fails", requestSays("False", "no power")}, exitTaken, exitTimeIsUp, exitUnclear, exitPaused,
			{"a person keeps the host off", keptOff}, exitHandBack, exitCancel, exitGone,
		}},
		{"`Replace`, not begun", with(p(), asks("replace", time.Minute), bounded), []conceptsExit{
			exitHealthy, {"the owner has answered no mark for 10 minutes", asked(AnswerTime)},
			{"the owner defers", owner(MarkDeferred, "later")}, {"the owner has deferred, or been busy, for an hour", func(f *Facts) { owner(MarkDeferred, "later")(f); asked(time.Hour)(f) }},
			{"the same, and nobody waits for the slot", func(f *Facts) { owner(MarkDeferred, "later")(f); asked(time.Hour)(f); f.Bounded = false }},
			{"the same for a day", func(f *Facts) { asked(24 * time.Hour)(f); f.Bounded = false }},
			{"the owner refuses", owner(MarkRefused, "too few replicas")}, {"somebody takes the mark away", func(f *Facts) { f.Machine.Mark = Mark{} }},
			exitPaused, exitHandBack, exitCancel,
		}},
		{"`Replace`, begun", with(p(), replacing(time.Minute)), []conceptsExit{
			{"the machine is being deleted", deleting(time.Minute)}, exitPaused,
			{"it is gone, and none has taken its place", goneNow}, {"it is gone, and no replacement has appeared in time", func(f *Facts) { goneNow(f); f.Record.Status.NextTransitionTime = ago(time.Hour) }},
			{"it is gone, and its owner was scaled down", func(f *Facts) { goneNow(f); f.NoSuccessor = "MachineSet md-0 was scaled down" }},
			{"it is gone, and nobody can tell whether its owner replaces it", func(f *Facts) {
				goneNow(f)
				f.SuccessorUnknown, f.Record.Status.NextTransitionTime = true, ago(time.Hour)
			}},
			{"it is gone, and the one in its place is healthy", successor(Successor{Name: "md-0-y8", Health: Healthy, HealthySince: noon})},
			{"the one in its place has stayed healthy", successor(Successor{Name: "md-0-y8", Health: Healthy, HealthySince: noon.Add(-time.Hour)})},
			{"the one in its place is sick, too", successor(Successor{Name: "md-0-y8", Health: Sick})},
			{"the one in its place goes without having been sick", successor(Successor{Name: "md-0-y8", Gone: true})},
		}},
		{"`Replace`, built-in plan", with(builtin(replace()), asks("replace", time.Minute)), []conceptsExit{
			exitHealthy, {"the owner has answered no mark for 10 minutes", func(f *Facts) { asked(AnswerTime)(f); f.Bounded = true }},
			{"the owner has answered no mark for 10 minutes, and nobody waits for the slot", asked(AnswerTime)}, {"the owner refuses", owner(MarkRefused, "too few replicas")},
			{"the machine is gone", goneNow},
		}},
	}
}

// asked has the latest attempt be asked for some time ago.
func asked(before time.Duration) change {
	return func(f *Facts) { Last(&f.Record.Status).StartTime = ago(before) }
}

func successor(s Successor) change {
	return func(f *Facts) { goneNow(f); f.Successor = &s }
}

// TestConceptsExits renders what comes of an attempt, and what is next. Steps with the same answer share a row.
func TestConceptsExits(t *testing.T) {
	answers := map[string][][]string{}
	var observed []string
	for _, s := range conceptsExits() {
		for _, exit := range s.exits {
			f := carryOn(with(s.facts, exit.happens))
			answer := []string{conceptsResult(f), conceptsNext(f)}
			rows := answers[exit.observed]
			if rows == nil {
				observed = append(observed, exit.observed)
			}
			if i := slices.IndexFunc(rows, func(row []string) bool { return slices.Equal(row[2:], answer) }); i >= 0 {
				rows[i][1] += "; " + s.step
				continue
			}
			answers[exit.observed] = append(rows, append([]string{"", s.step}, answer...))
		}
	}
	table := [][]string{{"what happens", "to", "the attempt", "then"}}
	for _, what := range observed {
		answers[what][0][0] = what
		table = append(table, answers[what]...)
	}
	docs.Section(t, conceptsFile, "remediation exits", docs.Table(table...))
}

// carryOn stores and takes back, until something begins or nothing is to be done.
func carryOn(f Facts) Facts {
	for range 20 {
		var d Decision
		f, d = decideAll(f, noon)
		switch d.Act {
		case WithdrawMark:
			f.Machine.Mark = Mark{}
		case WithdrawRequest:
			f.Request = nil
		default:
			return f
		}
	}
	panic("nothing comes of it")
}

// conceptsResult is what came of the first attempt.
func conceptsResult(f Facts) string {
	attempt := f.Record.Status.Attempts[0]
	switch {
	case attempt.EndTime == nil:
		return "goes on"
	case attempt.Result == "":
		return "is over; the probation shows its result"
	case attempt.Result.Counts() || attempt.Result == v1alpha1.ResultUnneeded:
		return docs.Code(string(attempt.Result))
	}
	return docs.Code(string(attempt.Result)) + ", not counted"
}

// conceptsNext is where the record stands.
func conceptsNext(f Facts) string {
	s := f.Record.Status
	text := docs.Code(string(s.Phase))
	switch last := Last(&s); {
	case s.CompletionTime != nil:
		return text + ", " + docs.Code(endOf(s))
	case last.Number > 1:
		again := "the next step"
		if last.Step == s.Attempts[0].Step {
			again = "the next attempt"
		}
		return text + ": " + again
	case Progress(&s).Reason != string(s.Phase):
		text += ", " + docs.Code(Progress(&s).Reason)
	}
	if reason := Progress(&s).Reason; s.NextTransitionTime != nil && (reason == v1alpha1.ReasonBackoff || reason == v1alpha1.ReasonRefused) && s.Phase == v1alpha1.RemediationPending {
		text += fmt.Sprintf(" for %s", s.NextTransitionTime.Sub(noon))
	}
	if s.StoppedTime != nil {
		text += "; its clock stands still"
	}
	return text
}

// TestConceptsExitsAreComplete: each action that does not leave the machine to a person has exits.
func TestConceptsExitsAreComplete(t *testing.T) {
	for _, action := range constants(t, apiPackage+"remediationstep.go", "Action", "") {
		shown := slices.ContainsFunc(conceptsExits(), func(s struct {
			step  string
			facts Facts
			exits []conceptsExit
		}) bool {
			return strings.HasPrefix(s.step, docs.Code(action))
		})
		if want := action != string(v1alpha1.ActionHold); shown != want {
			t.Errorf("exits of %s are shown: %v, want %v", action, shown, want)
		}
	}
}
