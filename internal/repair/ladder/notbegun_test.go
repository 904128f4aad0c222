package ladder

import (
	"slices"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
)

// story carries a record on in a world in which nothing happens by itself: what is asked for stands until it is withdrawn, and a slot is
// granted whenever the record wants one.
type story struct {
	f    Facts
	now  time.Time
	acts []Act
	// asked changes what the record has made, as soon as it stands.
	asked change
	// grantsNothing lets nobody have a slot.
	grantsNothing bool
}

// until lets the time pass up to some time after noon.
func (w *story) until(after time.Duration) {
	for range 10000 {
		var d Decision
		w.f, d = decideAll(w.f, w.now)
		if d.Act != None {
			w.act(d)
			continue
		}
		wants, at := WantsSlot(w.f.Record, w.now)
		if wants && !w.grantsNothing {
			w.f = granted(w.f)
			continue
		}
		next := healthcheck.Earliest(d.RecheckAt, at)
		if next.IsZero() || next.After(noon.Add(after)) {
			w.now = noon.Add(after)
			return
		}
		w.now = next
	}
	panic("no end in sight")
}

func (w *story) act(d Decision) {
	w.acts = append(w.acts, d.Act)
	w.f = with(w.f)
	switch d.Act {
	case MarkForOwner:
		w.f.Machine.Mark = Mark{State: MarkWaiting, Ours: true}
	case CreateReboot:
		w.f.Request = &Request{OperationID: d.Attempt.OperationID, Ref: *thing("RebootRemediation", "r"), Succeeded: "Unknown"}
	case CreateRequest:
		w.f.Request = &Request{OperationID: d.Attempt.OperationID, Ref: *thing("Fix", "r")}
	case WithdrawMark:
		w.f.Machine.Mark = Mark{}
	case WithdrawRequest:
		if w.f.Request.Unreadable != "" {
			w.f.Request.Deleting = true
			return
		}
		w.f.Request = nil
	case DeleteMachine:
		goneNow(&w.f)
	case Close:
		w.f.Record.Labels, w.f.Record.Finalizers = nil, nil
	default:
	}
	if d.Act.Begins() && w.asked != nil {
		w.asked(&w.f)
	}
}

func (w *story) has(act Act) bool { return slices.Contains(w.acts, act) }

// TestHostThatAPersonGivesBack: after an hour with its host kept, the machine gets the time of a boot before it is repaired once more.
func TestHostThatAPersonGivesBack(t *testing.T) {
	w := &story{f: with(plan(reboot(), replace()), hasHost, keptOff), now: noon}
	w.until(time.Hour)
	w.f.Safety.KeptOff = Cause{}
	w.until(time.Hour + w.f.BootTime - time.Second)
	if len(w.acts) > 0 {
		t.Errorf("it does %v while the Node may come back", w.acts)
	}
	w.until(time.Hour + w.f.BootTime)
	if !slices.Equal(w.acts, []Act{CreateReboot}) {
		t.Errorf("it does %v: %s", w.acts, Progress(&w.f.Record.Status).Message)
	}
}

// TestReplaceNeverCarriedOut: a machine that still exists has not been replaced. It is neither proven nor counted, nor has its step failed if the
// machine is sick again after a moment.
func TestReplaceNeverCarriedOut(t *testing.T) {
	w := &story{f: plan(replace(), holdStep()), now: noon, asked: owner(MarkDeferred, "preflight checks")}
	w.until(time.Minute)
	w.f.Machine.Health = Healthy
	w.until(time.Minute + 5*time.Second)
	flap := &story{f: with(w.f, is(Sick)), now: w.now, asked: w.asked}
	flap.until(2 * time.Minute)
	if last := Last(&flap.f.Record.Status); !slices.Equal(flap.acts, []Act{MarkForOwner}) || last.Step != "replace" || last.Result != "" {
		t.Errorf("sick again, it does %v: %+v", flap.acts, last)
	}
	w.until(10 * time.Minute)
	if last := Last(&w.f.Record.Status); Success(&w.f.Record.Status).Reason != v1alpha1.ReasonRecoveredUnaided || last.Result != v1alpha1.ResultNotBegun {
		t.Errorf("healthy, it ends %s: %+v", Success(&w.f.Record.Status).Reason, last)
	}
}

// TestApprovalIsInherited: an approval holds as long as nobody has begun, but not for more than a day.
func TestApprovalIsInherited(t *testing.T) {
	w := &story{f: with(plan(approvedStep(reboot()), holdStep()), bounded, decides(v1alpha1.AnswerApprove, "")), now: noon}
	w.until(20 * time.Hour)
	if last := Last(&w.f.Record.Status); len(w.acts) < 10 || !allows(last.Decision) {
		t.Errorf("it does %v: %+v", w.acts, last)
	}
	w.f.Machine.OtherFinding = true
	w.until(22 * time.Hour)
	if c := Progress(&w.f.Record.Status); c.Reason != v1alpha1.ReasonApprovalRequired {
		t.Errorf("it is %s: %s", c.Reason, c.Message)
	}
}

// TestApprovalEndsAfterADay: whatever kept everybody from beginning meanwhile, and however long nothing was asked.
func TestApprovalEndsAfterADay(t *testing.T) {
	approved := func(step v1alpha1.RemediationStep, changes ...change) Facts {
		return with(plan(approvedStep(step), holdStep()), append(changes, decides(v1alpha1.AnswerApprove, ""))...)
	}
	for name, w := range map[string]*story{
		"others have the slot in between":       {f: approved(replace(), bounded)},
		"a person keeps the host in between":    {f: approved(reboot(), bounded, hasHost), asked: keptByCycle},
		"the last attempt stands for very long": {f: approved(replace())},
	} {
		t.Run(name, func(t *testing.T) {
			w.now = noon
			for hour := range time.Duration(26) {
				w.grantsNothing = w.f.Bounded && w.asked == nil && hour%3 != 0
				w.f.Safety.Paused = Cause{}
				if !w.f.Bounded && hour == 22 {
					paused(&w.f)
				}
				w.until(hour * time.Hour)
			}
			if c := Progress(&w.f.Record.Status); c.Reason != v1alpha1.ReasonApprovalRequired {
				t.Errorf("it is %s: %s; %+v", c.Reason, c.Message, Last(&w.f.Record.Status))
			}
		})
	}
}
