package decision

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// maxTurns is more than any record takes to settle.
const maxTurns = 50

// forecast is what the ladder makes of a record, up to the first thing that it does to the machine.
type forecast struct {
	status v1alpha1.MachineRemediationStatus
	// withdrawn names what is taken back.
	withdrawn []string
	// begins is the act that the machine is in for; None if there is none.
	begins ladder.Decision
}

// foresee follows the ladder from the facts as they are. What it takes back is taken to go at once.
func foresee(f ladder.Facts, now time.Time) forecast { return follow(f, now, false) }

// foreseeUnhindered follows it as if nothing but the machine's sickness counted: no pause, no hold, no line to stand in. It
// shows what comes once those are over.
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
	for range maxTurns {
		d := ladder.Decide(f, now)
		c.status = d.Status
		f.Record.Status = *d.Status.DeepCopy()
		switch {
		case d.Store:
		case d.Act.Begins():
			c.begins = d
			return c
		case takesBack(d.Act):
			c.withdrawn = append(c.withdrawn, standing(f, d.Act))
			f = without(f, d.Act)
		case grants && wantsSlot(f.Record):
			f.Record.Spec.Grant = f.Record.Status.ReleasedGrant + 1
			now = whenDue(f.Record, now)
		default:
			return c
		}
	}
	return c
}

func takesBack(act ladder.Act) bool {
	return act == ladder.WithdrawMark || act == ladder.WithdrawReboot || act == ladder.WithdrawRequest
}

// wantsSlot reports whether a record stands in line, now or once its back-off is over.
func wantsSlot(r *v1alpha1.MachineRemediation) bool {
	return r.Status.SlotWanted && !ladder.HasSlot(r) && !ladder.Ended(r)
}

// whenDue is when the back-off of a record is over.
func whenDue(r *v1alpha1.MachineRemediation, now time.Time) time.Time {
	if at := r.Status.NextTransitionTime; at != nil && at.After(now) {
		return at.Time
	}
	return now
}

// without is the machine once something was taken back.
func without(f ladder.Facts, act ladder.Act) ladder.Facts {
	switch act {
	case ladder.WithdrawMark:
		f.Machine.Mark = ladder.Mark{}
	case ladder.WithdrawReboot:
		f.Machine.RebootStands = false
	case ladder.WithdrawRequest:
		f.Request = nil
	default:
		// No other act takes anything back.
	}
	return f
}

// progressing is what a status says of its progress.
func progressing(s *v1alpha1.MachineRemediationStatus) metav1.Condition {
	if c := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionProgressing); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// sameEnd reports whether two courses lead to the same.
func sameEnd(a, b forecast) bool {
	return a.begins.Act == b.begins.Act && a.status.Phase == b.status.Phase &&
		progressing(&a.status).Reason == progressing(&b.status).Reason
}
