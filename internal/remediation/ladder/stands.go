package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stands reports whether anything of ours is on the machine.
func (t *turn) stands() bool {
	return t.markStands() || t.f.Machine.RebootStands || t.requestStands()
}

// markStands reports whether our mark can still be taken back: what its owner has begun, it finishes.
func (t *turn) markStands() bool {
	m := t.f.Machine
	return m.Mark.Ours && m.Mark.Stands() && (m.Mark.State != MarkAnswered || t.ownerFailed()) && !m.Deleting() && !m.Gone
}

// ownerAtWork reports whether the owner goes on with what a mark of ours has asked for, although the attempt is over. Nobody can
// take that back. One that says so and does not delete the machine is given an hour.
func (t *turn) ownerAtWork() bool {
	m, last := t.f.Machine, latest(&t.s)
	if !m.Mark.Ours || m.Gone || last == nil || last.EndTime == nil || t.stepOf(last).Action != v1alpha1.ActionReplace {
		return false
	}
	if m.Deleting() || m.Mark.State != MarkAnswered {
		return m.Deleting()
	}
	given := last.EndTime.Add(deletionTime)
	if !t.now.Before(given) {
		return false
	}
	t.recheck(given)
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
