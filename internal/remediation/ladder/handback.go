package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const recordDeleted = "The MachineRemediation was deleted"

// deleted reports whether somebody has deleted the record.
func (t *turn) deleted() bool { return !t.f.Record.DeletionTimestamp.IsZero() }

// handedBackWhy says why Sickbay has nothing to do with the machine any more; empty if it has.
func (t *turn) handedBackWhy() string {
	if why := t.f.Safety.Unmanaged; why != "" {
		return why
	}
	if t.deleted() {
		return recordDeleted
	}
	return ""
}

// handBack withdraws what has not begun, and ends the record of a machine that Sickbay does not look after any more. What
// somebody else has begun, they finish.
func (t *turn) handBack() bool {
	why := t.handedBackWhy()
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
