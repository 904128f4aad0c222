package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// withdraw takes back what is left of a finished attempt. Nothing follows until it is gone.
func (t *turn) withdraw() bool {
	if attempt := atWork(&t.s); attempt != nil {
		return t.withdrawStrays(attempt)
	}
	if !t.stands() {
		return false
	}
	switch {
	case t.announces():
		return true
	case t.markStands():
		return t.withdrawal(WithdrawMark)
	case t.f.Machine.RebootStands:
		return t.withdrawal(WithdrawReboot)
	}
	return t.withdrawRequest()
}

// withdrawStrays takes back late effects of an attempt before the one at work. A mark beside a request may belong to the request's
// controller.
func (t *turn) withdrawStrays(attempt *v1alpha1.RemediationAttempt) bool {
	step, m, request := t.stepOf(attempt), t.f.Machine, t.f.Request
	switch {
	case t.markStands() && step.Action != v1alpha1.ActionReplace && step.Action != v1alpha1.ActionRequest:
		return t.withdrawal(WithdrawMark)
	case m.RebootStands && (!t.annotates(step) || m.RebootOperation != attempt.OperationID):
		return t.withdrawal(WithdrawReboot)
	case request != nil && request.OperationID != attempt.OperationID:
		return t.withdrawRequest()
	}
	return false
}

// announces stores a withdrawal before it happens, and the late effect of the latest attempt if that seemed to have done nothing.
func (t *turn) announces() bool {
	last := Last(&t.s)
	if last != nil && last.ObjectRef == nil && last.OperationID != "" {
		last.ObjectRef = t.seen(t.stepOf(last), last.OperationID, true)
	}
	if t.reason() != v1alpha1.ReasonWithdrawing {
		return t.takesBack("Takes back what is left of an attempt that is over")
	}
	return t.changed()
}

// unreadableRetry is when to look again at a request that the API server cannot show. When it can again, there is no event.
const unreadableRetry = 30 * time.Second

// withdrawRequest deletes the request, and then waits until it is gone.
func (t *turn) withdrawRequest() bool {
	if !t.requestStands() {
		return false
	}
	request := t.f.Request
	name := request.Ref.Kind + " " + request.Ref.Name
	switch {
	case request.Unreadable != "":
		t.recheck(t.now.Add(unreadableRetry))
		return t.takesBack("Nobody can tell whether " + name + " still stands: " + request.Unreadable)
	case request.Deleting:
		return t.takesBack("Waits until " + name + " is gone")
	}
	return t.withdrawal(WithdrawRequest)
}

// withdrawal asks for one act that withdraws something.
func (t *turn) withdrawal(what Act) bool {
	if stuck := t.f.Safety.Stuck; stuck != "" {
		return t.takesBack("Could not take back what was asked for: " + stuck)
	}
	attempt := v1alpha1.RemediationAttempt{}
	if last := Last(&t.s); last != nil {
		attempt = *last
	}
	if what == WithdrawRequest {
		attempt.ObjectRef = t.f.Request.Ref.DeepCopy()
	}
	return t.act(what, attempt, v1alpha1.RemediationStep{})
}
