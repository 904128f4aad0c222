package explain

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// maxTurns bounds how often a record is decided on at one moment. A record needs far fewer.
const maxTurns = 20

// settle decides on a record at a moment until there is nothing left to store, as the controller does.
func settle(f ladder.Facts, at time.Time) (ladder.Facts, ladder.Decision) {
	decision := ladder.Decision{}
	for range maxTurns {
		decision = ladder.Decide(f, at)
		if !decision.Store {
			break
		}
		stored := *f.Record
		stored.Status = decision.Status
		f.Record = &stored
	}
	return f, decision
}

// next is when something happens to a record by itself, and what; false if it waits for somebody or something else.
func (r *Record) next(now time.Time) (at time.Time, what string, ok bool) {
	if r.Problem != "" || r.ended() {
		return time.Time{}, "", false
	}
	before, decision := settle(r.Facts, now)
	if what := Change(r.Record, before.Record); what != "" || acts[decision.Act] != "" {
		return now, join(what, acts[decision.Act]), true
	}
	for range maxLooks {
		at = firstAfter(now, decision.RecheckAt)
		if at.IsZero() {
			break
		}
		after, then := settle(before, at)
		if what := Change(before.Record, after.Record); what != "" || acts[then.Act] != "" {
			return at, join(what, acts[then.Act]), true
		}
		now, before, decision = at, after, then
	}
	return time.Time{}, "", false
}

// Change says what is different between two moments of a record that people want to know; empty if nothing is.
func Change(before, after *v1alpha1.MachineRemediation) string {
	was, is := before.Status, after.Status
	if is.CompletionTime != nil && was.CompletionTime == nil {
		return "the repair ends: " + meta.FindStatusCondition(is.Conditions, v1alpha1.ConditionSucceeded).Reason
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

// turns are where a record goes on, in the order in which they are asked; the first that applies is said.
var turns = []struct {
	applies func(was, is *v1alpha1.MachineRemediationStatus) bool
	words   string
}{
	{func(was, is *v1alpha1.MachineRemediationStatus) bool { return !moved(was, is) }, ""},
	{enters(v1alpha1.RemediationHeld), "a person has to decide"},
	{func(_, is *v1alpha1.MachineRemediationStatus) bool {
		return is.Phase == v1alpha1.RemediationPending && reasonOf(*is) == v1alpha1.ReasonApprovalRequired
	}, "step %s asks for approval"},
	{func(_, is *v1alpha1.MachineRemediationStatus) bool {
		return is.Phase == v1alpha1.RemediationPending && is.SlotWanted && is.NextTransitionTime == nil
	}, "step %s is next, once a slot is granted"},
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

// turnWords say where a record goes on.
func turnWords(was, is *v1alpha1.MachineRemediationStatus) string {
	for _, turn := range turns {
		if turn.applies(was, is) {
			return strings.ReplaceAll(turn.words, "%s", is.Step)
		}
	}
	return ""
}

func reasonOf(s v1alpha1.MachineRemediationStatus) string {
	if c := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionProgressing); c != nil {
		return c.Reason
	}
	return ""
}

// attemptName says which attempt of which step it is, as people count.
func attemptName(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) string {
	for _, step := range r.Spec.Steps {
		if step.Name == attempt.Step && step.MaxAttempts() > 1 {
			return fmt.Sprintf("%s %d of %d", step.Name, nth(r, attempt), step.MaxAttempts())
		}
	}
	return attempt.Step
}

// nth counts an attempt within its step, from where the step was begun last.
func nth(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) int32 {
	until := *r
	for i := range r.Status.Attempts {
		if r.Status.Attempts[i].Number == attempt.Number {
			until.Status.Attempts = r.Status.Attempts[:i+1]
		}
	}
	return max(1, ladder.Tried(&until, attempt.Step))
}

// results say what comes of an attempt, and what has come of it.
var results = map[v1alpha1.AttemptResult]struct{ comes, came string }{
	v1alpha1.ResultSucceeded: {"counts as a success", "helped"},
	v1alpha1.ResultTimedOut:  {"times out", "timed out"},
	v1alpha1.ResultFailed:    {"counts as failed", "failed"},
	v1alpha1.ResultRefused:   {"is given up, as nobody has answered", "was given up, as nobody answered"},
	v1alpha1.ResultAborted:   {"is broken off", "was broken off"},
	v1alpha1.ResultDenied:    {"is denied", "was denied"},
	v1alpha1.ResultCancelled: {"is cancelled", "was cancelled"},
	v1alpha1.ResultUnneeded:  {"is not needed", "was not needed"},
}

// came says what has come of an attempt that is over.
func came(result v1alpha1.AttemptResult) string {
	if result == "" {
		return "has to prove that it helped"
	}
	return results[result].came
}

// acts are what people want to know of what is done.
var acts = map[ladder.Act]string{
	ladder.MarkForOwner:   "its owner is asked to replace it",
	ladder.DeleteMachine:  "the Machine is deleted",
	ladder.AnnotateReboot: "a power cycle is asked for",
	ladder.CreateReboot:   "a power cycle is asked for",
	ladder.CreateRequest:  "a request is made",

	ladder.WithdrawMark:    "its owner is asked no more",
	ladder.WithdrawReboot:  "the power cycle is taken back",
	ladder.WithdrawRequest: "the request is taken back",
}

func join(parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, "; ")
}

func (r *Record) ended() bool { return ladder.Ended(r.Record) }
