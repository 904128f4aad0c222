package ladder

import "github.com/sickbay-dev/sickbay/api/v1alpha1"

// gone ends the record of a machine that is gone, once nothing is left on its host and its successor is proven.
func (t *turn) gone() bool {
	if !t.f.Machine.Gone {
		return false
	}
	attempt := atWork(&t.s)
	if attempt != nil && (t.stepOf(attempt).Action != v1alpha1.ActionReplace || attempt.ObjectRef == nil) {
		t.end(attempt, v1alpha1.ResultUnneeded, "The machine is gone")
		if t.stands() {
			return t.takesBack("The machine is gone; takes back what was asked for")
		}
	}
	if t.withdrawRequest() {
		return true
	}
	if attempt := atWork(&t.s); attempt != nil {
		return t.replaced(attempt)
	}
	if open := proving(&t.s); open != nil {
		open.Result, open.Message = v1alpha1.ResultUnneeded, "The machine is gone"
	}
	if t.cancelled() {
		return t.complete(v1alpha1.ReasonCancelled, "The machine is gone; the remediation was cancelled")
	}
	return t.complete(v1alpha1.ReasonMachineDeleted, t.whyGone())
}

// whyGone says that somebody else deleted the machine, unless Sickbay asked for that, too.
func (t *turn) whyGone() string {
	for i := range t.s.Attempts {
		if attempt := &t.s.Attempts[i]; attempt.ObjectRef != nil && t.stepOf(attempt).Action == v1alpha1.ActionReplace {
			return "The machine is gone"
		}
	}
	return "The machine is gone, and not by this remediation"
}

const recordDeletedText = "The MachineRemediation was deleted"

// recordIsDeleted reports whether somebody has deleted the record.
func (t *turn) recordIsDeleted() bool { return !t.f.Record.DeletionTimestamp.IsZero() }

// whyHandedBack says why Sickbay no longer manages the machine; empty if it does.
func (t *turn) whyHandedBack() string {
	if why := t.f.Safety.Unmanaged; why != "" {
		return why
	}
	if t.recordIsDeleted() {
		return recordDeletedText
	}
	return ""
}

// handBack withdraws what has not begun, and ends the record of a machine that Sickbay no longer manages. Others finish what they
// have begun.
func (t *turn) handBack() bool {
	why := t.whyHandedBack()
	if why == "" {
		return false
	}
	if attempt := atWork(&t.s); attempt != nil {
		t.end(attempt, v1alpha1.ResultAborted, why)
		if t.stands() {
			return t.takesBack(why)
		}
	}
	if t.markStands() && t.f.Safety.Unmanaged != "" && t.f.Machine.VerdictStands {
		return t.takesBack("Takes the mark back once the verdict is gone: " + why)
	}
	if t.withdraw() {
		return true
	}
	return t.complete(v1alpha1.ReasonHandedBack, why)
}
