package ladder

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stands reports whether anything of ours is on the machine.
func (d *draft) stands() bool {
	return d.markStands() || d.f.Machine.RebootStands || d.requestStands()
}

// markStands reports whether our mark can still be withdrawn: an owner finishes what it has begun. An owner that only says it acts
// has begun nothing, and would follow the mark the next time the machine is sick.
func (d *draft) markStands() bool {
	m := d.f.Machine
	if !m.Mark.Ours || !m.Mark.Stands() || m.Deleting() || m.Gone {
		return false
	}
	if m.Mark.State != MarkAnswered || d.ownerFailed() {
		return true
	}
	due := d.answerDue()
	if d.now.Before(due) {
		d.recheck(due)
	}
	return !due.IsZero() && !d.now.Before(due)
}

// answerDue returns until when the owner may say that it deletes the machine without doing it, after the attempt that asked for it.
// It is zero if the owner does not say so, or that attempt is not over.
func (d *draft) answerDue() time.Time {
	m := d.f.Machine
	if !m.Mark.Ours || m.Mark.State != MarkAnswered || m.Deleting() || m.Gone {
		return time.Time{}
	}
	for _, attempt := range slices.Backward(d.s.Attempts) {
		switch {
		case attempt.StartTime == nil || d.stepOf(&attempt).Action != v1alpha1.ActionReplace:
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
func (d *draft) ownerAtWork() bool {
	m := d.f.Machine
	if m.Deleting() && !m.Gone {
		return m.Mark.Ours
	}
	due := d.answerDue()
	if !d.now.Before(due) {
		return false
	}
	d.recheck(due)
	return true
}

// ownerFailed reports whether an attempt ended because its owner did not act.
func (d *draft) ownerFailed() bool {
	last := Last(&d.s)
	return last != nil && last.Result == v1alpha1.ResultFailed && d.stepOf(last).Action == v1alpha1.ActionReplace
}

// requestStands reports whether a request of this record exists that is withdrawn with its attempt.
func (d *draft) requestStands() bool {
	request, attempt := d.f.Request, atWork(&d.s)
	if request == nil || request.OperationID == "" {
		return false
	}
	if attempt != nil && attempt.OperationID == request.OperationID {
		return true
	}
	return !outlasts(d.requestStep(), request)
}

// outlasts reports whether a request stays after its attempt, until the record is deleted. Evidence does. So does a finished power
// cycle: it keeps nothing off, but may hold the backup of the Node.
func outlasts(step v1alpha1.RemediationStep, request *Request) bool {
	over := request.Succeeded == "True" || request.Succeeded == "False"
	return evidence(step) || (step.Action == v1alpha1.ActionReboot && over)
}

// requestStep returns the step whose attempt made the request. A forgotten step counts as one that does nothing.
func (d *draft) requestStep() v1alpha1.RemediationStep {
	for i := range d.s.Attempts {
		if attempt := &d.s.Attempts[i]; d.f.Request != nil && attempt.OperationID == d.f.Request.OperationID {
			return d.stepOf(attempt)
		}
	}
	return v1alpha1.RemediationStep{}
}
