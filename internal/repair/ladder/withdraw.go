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
		return d.withdrawMark()
	}
	return d.withdrawRequest()
}

// withdrawMark removes the mark. It first leaves an owner that says that it deletes the machine the time to do so.
func (d *draft) withdrawMark() bool {
	if due := d.answerDue(); d.now.Before(due) {
		d.recheck(due)
		return d.withdrawing(d.f.Machine.ownerName() + " says that it deletes the machine; the mark is withdrawn if it does not")
	}
	return d.withdrawal(WithdrawMark)
}

// withdrawStrays takes back late effects of an attempt before the one at work. A mark beside a request may belong to the request's
// controller.
func (d *draft) withdrawStrays(attempt *v1alpha1.RemediationAttempt) bool {
	step, request := d.stepOf(attempt), d.f.Request
	switch {
	case d.markStands() && !step.Marks() && step.Action != v1alpha1.ActionRequest:
		return d.withdrawal(WithdrawMark)
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

const (
	// unreadableRetry is when to look again at a request that the API server cannot show. When it can again, there is no event.
	unreadableRetry = 30 * time.Second
	// unreadableTime is how long Sickbay tries to withdraw a request that it cannot read. Then a person must look.
	unreadableTime = time.Hour
)

// noteUnreadable stores since when a request that has to go was deleted in vain and cannot be read, and that Sickbay has given it up. It gives up
// when one more deletion has not helped.
func (d *draft) noteUnreadable() {
	unread := d.unread()
	inVain := unread && (d.f.Safety.Stuck != "" || d.f.Request.Deleting)
	switch {
	case !unread && unseen(&d.s):
		d.forgetStop()
	case d.gaveUp():
		d.recheck(d.now.Add(unreadableTime))
	case inVain && !unseen(&d.s):
		d.s.StoppedTime, d.s.StoppedBy = d.time(), byUnreadable
	case unread && unseen(&d.s) && d.passed(d.s.StoppedTime.Add(unreadableTime)) && inVain:
		d.s.StoppedBy = byGivenUp
		d.recheck(d.now.Add(unreadableTime))
	}
}

// unread reports whether a request that has to go cannot be read.
func (d *draft) unread() bool {
	attempt := d.requester()
	return attempt != nil && attempt.EndTime != nil && d.f.Request.Unreadable != "" && !outlasts(d.stepOf(attempt), d.f.Request)
}

// passed reports whether a time has come. If not, it asks for a look then.
func (d *draft) passed(at time.Time) bool {
	if d.now.Before(at) {
		d.recheck(at)
		return false
	}
	return true
}

// unseen reports whether a request that has to go was not seen gone since it could not be read.
func unseen(s *v1alpha1.MachineRemediationStatus) bool {
	return s.StoppedBy == byUnreadable || s.StoppedBy == byGivenUp
}

// gaveUp reports whether nothing waits any more for a request that has to go and cannot be read.
func (d *draft) gaveUp() bool { return d.s.StoppedBy == byGivenUp }

// MayStand reports whether what the latest attempt of a record has made may still exist: it was not seen gone since the attempt was over.
func MayStand(r *v1alpha1.MachineRemediation) bool {
	last := Last(&r.Status)
	return last != nil && (last.EndTime == nil || unseen(&r.Status) || Progress(&r.Status).Reason == v1alpha1.ReasonWithdrawing)
}

// withdrawRequest deletes the request, and then waits until it is gone. It also deletes one that cannot be read: that may be allowed, and "not
// found" is an answer, too.
func (d *draft) withdrawRequest() bool {
	if !d.requestStands() {
		return false
	}
	request := d.f.Request
	name := request.Ref.Kind + " " + request.Ref.Name
	if request.Unreadable != "" || request.Deleting {
		// Its end may be missed: its kind is watched only since a record has asked for it.
		d.recheck(d.now.Add(unreadableRetry))
	}
	switch {
	case request.Deleting && request.Unreadable != "":
		return d.withdrawing("Sickbay has deleted " + name + " but cannot see whether it is gone: " + request.Unreadable)
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
