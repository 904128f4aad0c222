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

// markStands reports whether our mark can still be withdrawn: an owner finishes what it has begun. An owner that only says it acts
// has begun nothing, and would follow the mark the next time the machine is sick.
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

// answerDue returns until when the owner may say that it deletes the machine without doing it, after the attempt that asked for it.
// It is zero if the owner does not say so, or that attempt is not over.
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

// ownerAtWork reports whether the owner still carries out a mark of ours although the attempt is over. That cannot be withdrawn. An
// owner that says so but does not delete the machine is given an hour.
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

// ownerFailed reports whether an attempt ended because its owner did not act.
func (t *turn) ownerFailed() bool {
	last := Last(&t.s)
	return last != nil && last.Result == v1alpha1.ResultFailed && t.stepOf(last).Action == v1alpha1.ActionReplace
}

// requestStands reports whether a request of this record exists that is withdrawn with its attempt.
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

// outlasts reports whether a request stays after its attempt, until the record is deleted. Evidence does. So does a finished power
// cycle: it keeps nothing off, but may hold the backup of the Node.
func outlasts(step v1alpha1.RemediationStep, request *Request) bool {
	over := request.Succeeded == "True" || request.Succeeded == "False"
	return evidence(step) || (step.Action == v1alpha1.ActionReboot && over)
}

// requestStep returns the step whose attempt made the request. A forgotten step counts as one that does nothing.
func (t *turn) requestStep() v1alpha1.RemediationStep {
	for i := range t.s.Attempts {
		if attempt := &t.s.Attempts[i]; t.f.Request != nil && attempt.OperationID == t.f.Request.OperationID {
			return t.stepOf(attempt)
		}
	}
	return v1alpha1.RemediationStep{}
}
