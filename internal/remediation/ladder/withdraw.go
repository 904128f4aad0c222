package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// withdraw takes back what is left of a finished attempt. Nothing follows until it is gone.
func (d *draft) withdraw() bool {
	if attempt := atWork(&d.s); attempt != nil {
		return d.withdrawStrays(attempt)
	}
	if !d.stands() {
		return false
	}
	switch {
	case d.storesWithdrawal():
		return true
	case d.markStands():
		return d.withdrawal(WithdrawMark)
	case d.f.Machine.RebootStands:
		return d.withdrawal(WithdrawReboot)
	}
	return d.withdrawRequest()
}

// withdrawStrays takes back late effects of an attempt before the one at work. A mark beside a request may belong to the request's
// controller.
func (d *draft) withdrawStrays(attempt *v1alpha1.RemediationAttempt) bool {
	step, m, request := d.stepOf(attempt), d.f.Machine, d.f.Request
	switch {
	case d.markStands() && step.Action != v1alpha1.ActionReplace && step.Action != v1alpha1.ActionRequest:
		return d.withdrawal(WithdrawMark)
	case m.RebootStands && (!d.annotates(step) || m.RebootOperation != attempt.OperationID):
		return d.withdrawal(WithdrawReboot)
	case request != nil && request.OperationID != attempt.OperationID:
		return d.withdrawRequest()
	}
	return false
}

// storesWithdrawal stores a withdrawal before it happens, and the late effect of the latest attempt if that seemed to have done nothing.
func (d *draft) storesWithdrawal() bool {
	last := Last(&d.s)
	if last != nil && last.ObjectRef == nil && last.OperationID != "" {
		last.ObjectRef = d.seen(d.stepOf(last), last.OperationID, true)
	}
	if d.reason() != v1alpha1.ReasonWithdrawing {
		return d.withdrawing("Withdrawing what is left of an attempt that is over")
	}
	return d.changed()
}

// unreadableRetry is when to look again at a request that the API server cannot show. When it can again, there is no event.
const unreadableRetry = 30 * time.Second

// withdrawRequest deletes the request, and then waits until it is gone.
func (d *draft) withdrawRequest() bool {
	if !d.requestStands() {
		return false
	}
	request := d.f.Request
	name := request.Ref.Kind + " " + request.Ref.Name
	switch {
	case request.Unreadable != "":
		d.recheck(d.now.Add(unreadableRetry))
		return d.withdrawing("Sickbay cannot tell whether " + name + " still exists: " + request.Unreadable)
	case request.Deleting:
		return d.withdrawing("Waiting until " + name + " is gone")
	}
	return d.withdrawal(WithdrawRequest)
}

// withdrawal asks for one act that withdraws something.
func (d *draft) withdrawal(what Act) bool {
	if stuck := d.f.Safety.Stuck; stuck != "" {
		return d.withdrawing("Could not withdraw what was asked for: " + stuck)
	}
	attempt := v1alpha1.RemediationAttempt{}
	if last := Last(&d.s); last != nil {
		attempt = *last
	}
	if what == WithdrawRequest {
		attempt.ObjectRef = d.f.Request.Ref.DeepCopy()
	}
	return d.act(what, attempt, v1alpha1.RemediationStep{})
}
