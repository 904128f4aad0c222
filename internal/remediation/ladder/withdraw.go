package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// withdraw takes back what is left of an attempt that is over. Nothing follows until it is gone.
func (t *turn) withdraw() bool {
	attempt := atWork(&t.s)
	if attempt == nil && t.stands() && t.announces() {
		return true
	}
	switch {
	case t.markStands() && t.strange(attempt, v1alpha1.ActionReplace, v1alpha1.ActionRequest):
		return t.withdrawal(WithdrawMark)
	case t.f.Machine.RebootStands && (attempt == nil || !t.annotates(t.stepOf(attempt)) || t.f.Machine.RebootOperation != attempt.OperationID):
		return t.withdrawal(WithdrawReboot)
	case attempt != nil && t.f.Request != nil && t.f.Request.OperationID == attempt.OperationID:
		return false
	}
	return t.withdrawRequest()
}

// strange reports whether no attempt with one of these actions is at work.
func (t *turn) strange(attempt *v1alpha1.RemediationAttempt, actions ...v1alpha1.Action) bool {
	for _, action := range actions {
		if attempt != nil && t.stepOf(attempt).Action == action {
			return false
		}
	}
	return true
}

// announces stores, before something is taken back, that it is, and what the latest attempt has led to after all if it
// seemed to have done nothing.
func (t *turn) announces() bool {
	last := latest(&t.s)
	if last != nil && last.ObjectRef == nil && last.OperationID != "" {
		last.ObjectRef = t.seen(t.stepOf(last), last.OperationID, true)
	}
	if t.reason() != v1alpha1.ReasonWithdrawing {
		return t.takesBack("Takes back what is left of an attempt that is over")
	}
	return t.changed()
}

// withdrawRequest deletes the request, and then waits until it is gone.
func (t *turn) withdrawRequest() bool {
	if !t.requestStands() {
		return false
	}
	if request := t.f.Request; request.Deleting {
		return t.takesBack("Waits until " + request.Ref.Kind + " " + request.Ref.Name + " is gone")
	}
	return t.withdrawal(WithdrawRequest)
}

// withdrawal asks for one act that takes something back.
func (t *turn) withdrawal(what Act) bool {
	attempt := v1alpha1.RemediationAttempt{}
	if last := latest(&t.s); last != nil {
		attempt = *last
	}
	if what == WithdrawRequest {
		attempt.ObjectRef = t.f.Request.Ref.DeepCopy()
	}
	return t.act(what, attempt, v1alpha1.RemediationStep{})
}
