package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// handBack withdraws what has not begun, and ends the record of a machine that Sickbay does not look after any more. What
// somebody else has begun, they finish.
func (t *turn) handBack() bool {
	why := t.f.Safety.Unmanaged
	if why == "" && !t.f.Record.DeletionTimestamp.IsZero() {
		why = "The MachineRemediation was deleted"
	}
	if why == "" {
		return false
	}
	if attempt := atWork(&t.s); attempt != nil {
		t.end(attempt, v1alpha1.ResultAborted, why)
		if t.stands() {
			return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, why)
		}
	}
	if t.withdraw() {
		return true
	}
	return t.complete(v1alpha1.ReasonHandedBack, why)
}

// withdraw takes back what is left of an attempt that is over. Nothing follows until it is gone.
func (t *turn) withdraw() bool {
	if atWork(&t.s) != nil || !t.stands() {
		return false
	}
	attempt := v1alpha1.RemediationAttempt{}
	if last := latest(&t.s); last != nil {
		attempt = *last
	}
	if t.markStands() {
		return t.act(WithdrawMark, attempt, v1alpha1.RemediationStep{})
	}
	return t.withdrawReboot(&attempt) || t.withdrawRequest()
}

// stands reports whether anything of ours is on the machine, but what the attempt at work has asked for.
func (t *turn) stands() bool {
	return t.markStands() || t.f.Machine.RebootStands || t.requestStands()
}

// markStands reports whether our mark can still be taken back: what its owner has begun, it finishes.
func (t *turn) markStands() bool {
	m := t.f.Machine
	return m.Mark.Ours && m.Mark.State != MarkAnswered && !m.Deleting() && !m.Gone
}

// requestStands reports whether a request of this record stands that goes with its attempt.
func (t *turn) requestStands() bool {
	request := t.f.Request
	return request != nil && request.OperationID != "" && !t.outlives()
}

// outlives reports whether the request of the latest attempt stays after it: evidence is kept as long as the record.
func (t *turn) outlives() bool {
	last := latest(&t.s)
	if last == nil {
		return false
	}
	step, _ := stepNamed(t.f.Record, last.Step)
	return step.Action == v1alpha1.ActionRequest && step.DoneWhen == v1alpha1.DoneWhenRequestSucceeded
}

func (t *turn) withdrawReboot(attempt *v1alpha1.RemediationAttempt) bool {
	if !t.f.Machine.RebootStands {
		return false
	}
	return t.act(WithdrawReboot, *attempt, v1alpha1.RemediationStep{})
}

// withdrawRequest deletes the request, and then waits until it is gone.
func (t *turn) withdrawRequest() bool {
	if !t.requestStands() {
		return false
	}
	request := t.f.Request
	if request.Deleting {
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, "Waits until "+request.Ref.Kind+" "+request.Ref.Name+" is gone")
	}
	attempt := v1alpha1.RemediationAttempt{ObjectRef: request.Ref.DeepCopy()}
	if last := latest(&t.s); last != nil {
		attempt = *last
		attempt.ObjectRef = request.Ref.DeepCopy()
	}
	return t.act(WithdrawRequest, attempt, v1alpha1.RemediationStep{})
}
