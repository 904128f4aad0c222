package ladder

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stands reports whether anything of ours is on the machine.
func (t *turn) stands() bool {
	return t.markStands() || t.f.Machine.RebootStands || t.requestStands()
}

// markStands reports whether our mark can still be taken back: what its owner has begun, it finishes. One that only says so has begun
// nothing, and would go by the mark when the machine is sick another time.
func (t *turn) markStands() bool {
	m := t.f.Machine
	if !m.Mark.Ours || !m.Mark.Stands() || m.Deleting() || m.Gone {
		return false
	}
	if m.Mark.State != MarkAnswered || t.ownerFailed() {
		return true
	}
	due := t.answerDue()
	if t.now.Before(due) {
		t.recheck(due)
	}
	return !due.IsZero() && !t.now.Before(due)
}

// answerDue is until when the owner may say that it deletes the machine and not do it, after the attempt that has asked it to. Zero:
// the owner does not say so, or that attempt is not over.
func (t *turn) answerDue() time.Time {
	m := t.f.Machine
	if !m.Mark.Ours || m.Mark.State != MarkAnswered || m.Deleting() || m.Gone {
		return time.Time{}
	}
	for _, attempt := range slices.Backward(t.s.Attempts) {
		switch {
		case attempt.StartTime == nil || t.stepOf(&attempt).Action != v1alpha1.ActionReplace:
			continue
		case attempt.EndTime == nil:
			return time.Time{}
		}
		return attempt.EndTime.Add(DeletionTime)
	}
	return time.Time{}
}

// ownerAtWork reports whether the owner goes on with what a mark of ours has asked for, although the attempt is over. Nobody can
// take that back. One that says so and does not delete the machine is given an hour.
func (t *turn) ownerAtWork() bool {
	m := t.f.Machine
	if m.Deleting() && !m.Gone {
		return m.Mark.Ours
	}
	due := t.answerDue()
	if !t.now.Before(due) {
		return false
	}
	t.recheck(due)
	return true
}

// ownerFailed reports whether an attempt is over because of what the owner has not done.
func (t *turn) ownerFailed() bool {
	last := latest(&t.s)
	return last != nil && last.Result == v1alpha1.ResultFailed && t.stepOf(last).Action == v1alpha1.ActionReplace
}

// requestStands reports whether a request of this record stands that goes with its attempt.
func (t *turn) requestStands() bool {
	request, attempt := t.f.Request, atWork(&t.s)
	if request == nil || request.OperationID == "" {
		return false
	}
	if attempt != nil && attempt.OperationID == request.OperationID {
		return true
	}
	return !outlasts(t.requestStep(), request)
}

// outlasts reports whether a request stays once its attempt is over, and goes with the record: evidence does. So does a power
// cycle that is over: it keeps nothing off, but what the Node had before may be in it.
func outlasts(step v1alpha1.RemediationStep, request *Request) bool {
	over := request.Succeeded == "True" || request.Succeeded == "False"
	return evidence(step) || (step.Action == v1alpha1.ActionReboot && over)
}

// requestStep is the step whose attempt has made the request. One that is forgotten does nothing.
func (t *turn) requestStep() v1alpha1.RemediationStep {
	for i := range t.s.Attempts {
		if attempt := &t.s.Attempts[i]; t.f.Request != nil && attempt.OperationID == t.f.Request.OperationID {
			return t.stepOf(attempt)
		}
	}
	return v1alpha1.RemediationStep{}
}
