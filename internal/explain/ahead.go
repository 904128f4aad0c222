package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain/ahead"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// next returns when something happens to a record by itself, and what; false if it waits for somebody or something else.
func (r *Record) next(now time.Time) (at time.Time, what string, ok bool) {
	if r.Problem != "" || r.ended() {
		return time.Time{}, "", false
	}
	before, decision := ahead.Settle(r.Facts, now)
	if what := Change(r.Record, before.Record); what != "" || acts[decision.Act] != "" {
		return now, JoinParts(what, acts[decision.Act]), true
	}
	for range maxLooks {
		at = ahead.FirstAfter(now, decision.RecheckAt)
		if at.IsZero() {
			break
		}
		after, then := ahead.Settle(before, at)
		if what := Change(before.Record, after.Record); what != "" || acts[then.Act] != "" {
			return at, JoinParts(what, acts[then.Act]), true
		}
		now, before, decision = at, after, then
	}
	return time.Time{}, "", false
}

// Change describes how a record has changed between two moments, as far as people want to know; empty if it has not.
func Change(before, after *v1alpha1.MachineRemediation) string {
	was, is := before.Status, after.Status
	if is.CompletionTime != nil && was.CompletionTime == nil {
		return "the repair ends: " + ladder.Success(&is).Reason
	}
	var parts []string
	had := map[int32]v1alpha1.AttemptResult{}
	for i := range was.Attempts {
		had[was.Attempts[i].Number] = was.Attempts[i].Result
	}
	for i := range is.Attempts {
		attempt := &is.Attempts[i]
		if attempt.Result != "" && had[attempt.Number] != attempt.Result {
			parts = append(parts, fmt.Sprintf("%s %s", attemptName(after, attempt), results[attempt.Result].comes))
		}
	}
	if then := turnWords(&was, &is); then != "" {
		parts = append(parts, then)
	}
	return strings.Join(parts, "; ")
}

// turns are the ways in which a record can go on. The first that applies is reported.
var turns = []struct {
	applies func(was, is *v1alpha1.MachineRemediationStatus) bool
	words   string
}{
	{func(was, is *v1alpha1.MachineRemediationStatus) bool { return !moved(was, is) }, ""},
	{enters(v1alpha1.RemediationHeld), "a person must decide"},
	{func(_, is *v1alpha1.MachineRemediationStatus) bool {
		return is.Phase == v1alpha1.RemediationPending && ladder.Progress(is).Reason == v1alpha1.ReasonApprovalRequired
	}, "step %s needs approval"},
	{func(_, is *v1alpha1.MachineRemediationStatus) bool {
		return is.Phase == v1alpha1.RemediationPending && is.SlotWanted && is.NextTransitionTime == nil
	}, "step %s is next when a slot is free"},
	{enters(v1alpha1.RemediationPending), "step %s is next"},
	{func(was, is *v1alpha1.MachineRemediationStatus) bool {
		return is.Phase == v1alpha1.RemediationActing && len(is.Attempts) > len(was.Attempts)
	}, "step %s begins"},
	{enters(v1alpha1.RemediationProbation), "probation begins"},
}

func moved(was, is *v1alpha1.MachineRemediationStatus) bool {
	return was.Phase != is.Phase || was.Step != is.Step || was.Attempt != is.Attempt || was.SlotWanted != is.SlotWanted
}

func enters(phase v1alpha1.RemediationPhase) func(was, is *v1alpha1.MachineRemediationStatus) bool {
	return func(was, is *v1alpha1.MachineRemediationStatus) bool { return is.Phase == phase && was.Phase != phase }
}

// turnWords says how a record goes on.
func turnWords(was, is *v1alpha1.MachineRemediationStatus) string {
	for _, turn := range turns {
		if turn.applies(was, is) {
			return strings.ReplaceAll(turn.words, "%s", is.Step)
		}
	}
	return ""
}

// attemptName names an attempt by its step, and by its number within the step if there can be several.
func attemptName(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) string {
	if step, ok := ladder.StepNamed(r, attempt.Step); ok && step.MaxAttempts() > 1 {
		return fmt.Sprintf("%s %d of %d", step.Name, nth(r, attempt), step.MaxAttempts())
	}
	return attempt.Step
}

// nth returns the number of an attempt within its step, counted from the last time the step began.
func nth(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) int32 {
	until := *r
	for i := range r.Status.Attempts {
		if r.Status.Attempts[i].Number == attempt.Number {
			until.Status.Attempts = r.Status.Attempts[:i+1]
		}
	}
	return max(1, ladder.Tried(&until, attempt.Step))
}

// results describe the result of an attempt, in the present and in the past tense.
var results = map[v1alpha1.AttemptResult]struct{ comes, came string }{
	v1alpha1.ResultSucceeded:  {"succeeds", "helped"},
	v1alpha1.ResultTimedOut:   {"times out", "timed out"},
	v1alpha1.ResultFailed:     {"fails", "failed"},
	v1alpha1.ResultWithdrawn:  {"is taken back", "is being taken back"},
	v1alpha1.ResultNotBegun:   {"is taken back, since nobody has begun it", "was taken back before anybody began it"},
	v1alpha1.ResultImpossible: {"is given up, since it can never begin", "could never begin"},
	v1alpha1.ResultAborted:    {"is aborted", "was aborted"},
	v1alpha1.ResultDenied:     {"is denied", "was denied"},
	v1alpha1.ResultCancelled:  {"is cancelled", "was cancelled"},
	v1alpha1.ResultUnneeded:   {"is not needed", "was not needed"},
}

// came describes the result of an attempt that is over.
func (r *Record) came(attempt *v1alpha1.RemediationAttempt) string {
	switch {
	case attempt.Result == "":
		return "must still prove that it helped"
	case attempt.Result == v1alpha1.ResultSucceeded && attempt == ladder.Last(&r.Record.Status) && ladder.ReplacedUnchecked(r.Record):
		return "had the machine deleted; its plan does not wait for a replacement"
	}
	return results[attempt.Result].came
}

// acts describe the ladder's acts, as far as people want to know.
var acts = map[ladder.Act]string{
	ladder.MarkForOwner:  "its owner is asked to replace it",
	ladder.DeleteMachine: "the Machine is deleted",
	ladder.CreateReboot:  "a power cycle is requested",
	ladder.CreateRequest: "a request is made",

	ladder.WithdrawMark:    "the mark for its owner is removed",
	ladder.WithdrawRequest: "the request is withdrawn",
}

func (r *Record) ended() bool { return ladder.Ended(r.Record) }
