package ladder

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// AnswerTime is how long an owner may leave all of its marks unanswered.
	AnswerTime = 10 * time.Minute
	// refusalTime is for how long an owner may say that it cannot remediate a machine.
	refusalTime = time.Hour
)

// atWork goes on with the attempt at work: it is carried out if nothing is to be seen of it yet, it has failed, or its time
// is up.
func (t *turn) atWork() bool {
	attempt := atWork(&t.s)
	if attempt == nil {
		return false
	}
	step, ok := stepNamed(t.f.Record, attempt.Step)
	if !ok {
		t.end(attempt, v1alpha1.ResultFailed, "The plan has no such step")
		return t.next()
	}
	if attempt.ObjectRef == nil && acts(step.Action) {
		ref := t.seen(step, attempt.OperationID)
		if ref == nil {
			return t.carryOut(attempt, step)
		}
		attempt.ObjectRef = ref
	}
	switch step.Action {
	case v1alpha1.ActionReplace:
		return t.replacing(attempt, step)
	case v1alpha1.ActionRequest, v1alpha1.ActionReboot:
		return t.requesting(attempt, step)
	}
	return t.inTime(attempt, step)
}

// carryOut asks for the act of an attempt, unless something speaks against it now.
func (t *turn) carryOut(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if t.f.Machine.Deleting() {
		t.stopClock()
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, "Waits until the machine is deleted, as somebody has asked")
	}
	if reason, message := t.obstacle(step); reason != "" {
		t.end(attempt, v1alpha1.ResultAborted, message)
		return t.stepBack(reason, message)
	}
	return t.act(t.actFor(step), *attempt, step)
}

// actFor is the act of a step.
func (t *turn) actFor(step v1alpha1.RemediationStep) Act {
	switch step.Action {
	case v1alpha1.ActionReplace:
		if t.f.Machine.Owner == nil {
			return DeleteMachine
		}
		return MarkForOwner
	case v1alpha1.ActionReboot:
		if t.annotates(step) {
			return AnnotateReboot
		}
		return CreateReboot
	case v1alpha1.ActionRequest:
		return CreateRequest
	}
	return None
}

// replacing goes by what the owner says.
func (t *turn) replacing(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	m := t.f.Machine
	switch {
	case m.Deleting():
		return t.deleting(step)
	case m.Owner == nil || !m.Mark.Stands():
		t.end(attempt, v1alpha1.ResultFailed, "Somebody has taken the mark for the owner away")
		return t.next()
	case m.Mark.State == MarkRefused:
		return t.ownerRefuses(attempt)
	case m.Mark.State == MarkAnswered:
		// The deletion follows at once, and needs no word of ours.
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, t.waitsFor(step))
	case m.Mark.State == MarkDeferred:
		t.stopClock()
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, fmt.Sprintf("%s %s says: %s", m.Owner.Kind, m.Owner.Name, m.Mark.Message))
	}
	t.runClock(attempt)
	if unanswered := t.began(step).Add(AnswerTime); !m.OwnerActive {
		if !t.now.Before(unanswered) {
			message := fmt.Sprintf("%s %s has not answered for %s", m.Owner.Kind, m.Owner.Name, AnswerTime)
			t.end(attempt, v1alpha1.ResultRefused, message)
			return t.stepBack(v1alpha1.ReasonRefused, message)
		}
		t.recheck(unanswered)
	}
	return t.inTime(attempt, step)
}

// deleting waits for a machine on its way out, which nothing brings back: its time does not count any more, and the status
// stays as it is. Only a deletion that takes long is worth a word.
func (t *turn) deleting(step v1alpha1.RemediationStep) bool {
	slow := t.f.Machine.DeletingSince.Add(time.Hour)
	if t.now.Before(slow) {
		t.recheck(slow)
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, t.waitsFor(step))
	}
	return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, "Waits until the machine is deleted; that takes longer than an hour")
}

// ownerRefuses gives an owner an hour to change its mind. Its message may change meanwhile, its refusal may not.
func (t *turn) ownerRefuses(attempt *v1alpha1.RemediationAttempt) bool {
	t.stopClock()
	m := t.f.Machine
	message := fmt.Sprintf("%s %s cannot remediate the machine: %s", m.Owner.Kind, m.Owner.Name, m.Mark.Message)
	due := t.s.StoppedTime.Add(refusalTime)
	if t.now.Before(due) {
		t.recheck(due)
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonRefused, message)
	}
	t.end(attempt, v1alpha1.ResultFailed, message)
	return t.next()
}

// requesting goes by what the request says, if it has a condition Succeeded.
func (t *turn) requesting(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	t.runClock(attempt)
	if t.annotates(step) {
		return t.inTime(attempt, step)
	}
	request, kind := t.f.Request, attempt.ObjectRef.Kind
	switch {
	case request == nil || request.OperationID != attempt.OperationID:
		t.end(attempt, v1alpha1.ResultFailed, fmt.Sprintf("Somebody has deleted %s %s", kind, attempt.ObjectRef.Name))
		return t.next()
	case request.Succeeded == "False":
		t.end(attempt, v1alpha1.ResultFailed, fmt.Sprintf("%s %s has failed: %s", kind, request.Ref.Name, request.Message))
		return t.next()
	case request.Succeeded == "True" && step.DoneWhen == v1alpha1.DoneWhenRequestSucceeded:
		t.end(attempt, v1alpha1.ResultSucceeded, fmt.Sprintf("%s %s has succeeded", kind, request.Ref.Name))
		t.s.Step = StepAfter(t.f.Record.Spec.Steps, step.Name)
		return t.next()
	}
	return t.inTime(attempt, step)
}

// inTime lets the attempt go on until its time is up.
func (t *turn) inTime(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	t.runClock(attempt)
	if deadline := t.s.NextTransitionTime; deadline != nil && t.now.Before(deadline.Time) {
		t.recheck(deadline.Time)
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, t.waitsFor(step))
	}
	if t.f.Machine.Health == Undecided {
		return t.undecided(attempt)
	}
	t.end(attempt, v1alpha1.ResultTimedOut, fmt.Sprintf("The machine is not healthy after %s", step.Timeout()))
	return t.next()
}

// undecided neither goes on with a machine that nobody can judge, nor waits for it for ever.
func (t *turn) undecided(attempt *v1alpha1.RemediationAttempt) bool {
	limit := t.proofDue()
	if t.now.Before(limit) {
		t.recheck(limit)
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonUndecided, "The time of the step is up, and nobody can tell whether the machine is healthy")
	}
	step, _ := stepNamed(t.f.Record, attempt.Step)
	t.end(attempt, v1alpha1.ResultTimedOut, fmt.Sprintf("Nobody could tell whether the machine is healthy after %s", step.Timeout()))
	return t.next()
}

// began is when the attempt at work would have begun if its clock had never stopped.
func (t *turn) began(step v1alpha1.RemediationStep) time.Time {
	if t.s.NextTransitionTime == nil {
		return t.now
	}
	return t.s.NextTransitionTime.Add(-step.Timeout())
}

// waitsFor says for whom an attempt waits, and what comes if that is in vain.
func (t *turn) waitsFor(step v1alpha1.RemediationStep) string {
	m, what := t.f.Machine, ""
	switch step.Action {
	case v1alpha1.ActionReplace:
		what = "waits until the machine is deleted"
		if m.Owner != nil {
			what = fmt.Sprintf("waits for %s %s to replace the machine", m.Owner.Kind, m.Owner.Name)
		}
	case v1alpha1.ActionReboot:
		what = "waits for the power cycle of its host"
	case v1alpha1.ActionRequest:
		what = "waits for the controller of the request"
		if request := t.f.Request; request != nil {
			what = fmt.Sprintf("waits for %s %s", request.Ref.Kind, request.Ref.Name)
		}
	default:
		what = "waits whether the machine recovers by itself"
	}
	return fmt.Sprintf("%s: %s; %s", t.trying(step), what, t.then(step))
}
