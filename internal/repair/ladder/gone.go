package ladder

import "github.com/sickbay-dev/sickbay/api/v1alpha1"

// gone ends the record of a machine that is gone, once nothing is left on its host and its successor is proven.
func (d *draft) gone() bool {
	if !d.f.Machine.Gone {
		return false
	}
	attempt := atWork(&d.s)
	if attempt != nil && (d.stepOf(attempt).Action != v1alpha1.ActionReplace || attempt.ObjectRef == nil) {
		d.unneeded(attempt, "The machine is gone")
		if d.stands() {
			return d.withdrawing("The machine is gone; withdrawing what was asked for")
		}
	}
	if d.stands() && d.withdrawRequest() {
		return true
	}
	if attempt := atWork(&d.s); attempt != nil {
		return d.replaced(attempt)
	}
	if open := proving(&d.s); open != nil {
		open.Result, open.Message = v1alpha1.ResultUnneeded, "The machine is gone"
	}
	if d.cancelled() {
		return d.complete(v1alpha1.ReasonCancelled, "The machine is gone; the remediation was cancelled")
	}
	return d.complete(v1alpha1.ReasonMachineDeleted, d.whyGone())
}

// unneeded ends an attempt that the machine does not need any more.
func (d *draft) unneeded(attempt *v1alpha1.RemediationAttempt, message string) {
	if d.begun(attempt) {
		d.end(attempt, v1alpha1.ResultUnneeded, message)
		return
	}
	d.takeBack(attempt, message)
}

// whyGone says that somebody else deleted the machine, unless Sickbay asked for that, too, or may have asked without having seen the answer.
func (d *draft) whyGone() string {
	for i := range d.s.Attempts {
		attempt := &d.s.Attempts[i]
		mayHaveAsked := attempt.ObjectRef != nil || endedNotBegun(*attempt)
		if mayHaveAsked && d.stepOf(attempt).Action == v1alpha1.ActionReplace {
			return "The machine is gone"
		}
	}
	return "The machine is gone, but not because of this remediation"
}

const recordDeletedText = "The MachineRemediation was deleted"

// recordIsDeleted reports whether somebody has deleted the record.
func (d *draft) recordIsDeleted() bool { return !d.f.Record.DeletionTimestamp.IsZero() }

// whyHandedBack says why Sickbay no longer manages the machine; empty if it does.
func (d *draft) whyHandedBack() string {
	if why := d.f.Safety.Unmanaged.String(); why != "" {
		return why
	}
	if d.recordIsDeleted() {
		return recordDeletedText
	}
	return ""
}

// handBack withdraws what has not begun, and ends a record that nobody wants any more, that of a machine that Sickbay no longer manages, or for
// which a person has asked for something else, or another MachineHealthCheck leads. Others finish what they have begun.
func (d *draft) handBack() bool {
	reason, why := v1alpha1.ReasonHandedBack, d.whyHandedBack()
	if why == "" {
		reason, why = v1alpha1.ReasonCancelled, d.f.Withdrawn
	}
	if why == "" {
		reason, why = v1alpha1.ReasonSuperseded, d.unlessBegun(d.f.Safety.Superseded)
	}
	if why == "" && d.f.Record.Spec.Decision == nil {
		reason, why = v1alpha1.ReasonHandedOver, d.unlessBegun(d.f.Safety.HandedOver)
	}
	if why == "" || d.done() {
		return false
	}
	if attempt := atWork(&d.s); attempt != nil {
		d.takeBack(attempt, why)
		if d.stands() {
			return d.withdrawing(why)
		}
	}
	if d.withdraw() {
		return true
	}
	return d.complete(reason, why)
}

// done reports whether what somebody asked for has just succeeded. It stays done even if somebody takes it back at that moment.
func (d *draft) done() bool {
	attempt, request := atWork(&d.s), d.f.Request
	return attempt != nil && request != nil && request.OperationID == attempt.OperationID && request.Succeeded == "True" && d.f.Record.Spec.OnTheirWord()
}

// unlessBegun returns why something else is to be done; empty if somebody has begun with this record already.
func (d *draft) unlessBegun(why Cause) string {
	attempt := atWork(&d.s)
	if HasBegun(d.asDecided()) || (attempt != nil && Acts(d.stepOf(attempt).Action) && d.begun(attempt)) {
		return ""
	}
	return why.String()
}
