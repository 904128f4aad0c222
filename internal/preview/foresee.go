package preview

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// forecast is what the ladder does with a record, up to its first act on the machine.
type forecast struct {
	status v1alpha1.MachineRemediationStatus
	// withdrawn describes what is taken back.
	withdrawn []string
	// begins is the first act on the machine; None if there is none.
	begins ladder.Decision
}

// foresee follows the ladder from the current facts. It assumes that whatever is taken back goes at once.
func foresee(f ladder.Facts, now time.Time) forecast { return follow(f, now, false) }

// foreseeUnhindered follows the ladder as if only the machine's sickness counted: no pause, no hold, no wait for a slot. It
// shows what happens once those are over.
func foreseeUnhindered(f ladder.Facts, now time.Time) forecast {
	f.Safety = ladder.Safety{Unmanaged: f.Safety.Unmanaged}
	if f.Machine.Health == ladder.Undecided {
		f.Machine.Health, f.Machine.Unconfirmed = ladder.Sick, false
	}
	return follow(f, now, true)
}

func follow(f ladder.Facts, now time.Time, grants bool) forecast {
	var c forecast
	f.Record = f.Record.DeepCopy()
	for range ladder.MaxTurns {
		d := ladder.Decide(f, now)
		left, taken := takeBack(f, d.Act)
		c.status = d.Status
		f.Record.Status = *d.Status.DeepCopy()
		switch {
		case d.Store:
		case d.Act.Begins():
			c.begins = d
			return c
		case taken != "":
			c.withdrawn, f = append(c.withdrawn, taken), left
		case grants && wantsSlot(f.Record):
			f.Record.Spec.Grant = f.Record.Status.ReleasedGrant + 1
			now = whenDue(f.Record, now)
		default:
			return c
		}
	}
	return c
}

// wantsSlot reports whether a record is in line for a slot, now or after its back-off.
func wantsSlot(r *v1alpha1.MachineRemediation) bool {
	return r.Status.SlotWanted && !ladder.HasSlot(r) && !ladder.Ended(r)
}

// whenDue returns when the back-off of a record is over.
func whenDue(r *v1alpha1.MachineRemediation, now time.Time) time.Time {
	if at := r.Status.NextTransitionTime; at != nil && at.After(now) {
		return at.Time
	}
	return now
}

// takeBack returns the facts after an act, and what that takes back; empty if it takes nothing back.
func takeBack(f ladder.Facts, act ladder.Act) (left ladder.Facts, taken string) {
	switch act {
	case ladder.WithdrawMark:
		taken = "the mark that asks " + owner(f) + " to replace the machine"
		f.Machine.Mark = ladder.Mark{}
	case ladder.WithdrawRequest:
		taken = f.Request.Ref.Kind + " " + f.Request.Ref.Name
		f.Request = nil
	default:
	}
	return f, taken
}

// sameEnd reports whether two forecasts have the same result.
func sameEnd(a, b forecast) bool {
	return a.begins.Act == b.begins.Act && a.status.Phase == b.status.Phase &&
		ladder.Progress(&a.status).Reason == ladder.Progress(&b.status).Reason
}
