package explaintest

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Play decides on a record whenever something can change, from one time to another. It carries out each act at once, and grants each slot that
// the record wants.
func (s *Scene) Play(r *v1alpha1.MachineRemediation, from, to time.Time) {
	for at := from; !at.After(to); {
		next := to.Add(time.Second)
		for range 20 {
			d := ladder.Decide(s.ladderFacts(r), at)
			if d.RecheckAt.After(at) && d.RecheckAt.Before(next) {
				next = d.RecheckAt
			}
			if d.Store {
				r.Status = d.Status
				continue
			}
			if s.carryOut(r, d, at) {
				continue
			}
			break
		}
		wants, due := ladder.WantsSlot(r, at)
		if wants {
			r.Spec.Grant, next = r.Status.ReleasedGrant+1, at.Add(time.Second)
		} else if due.After(at) && due.Before(next) {
			next = due
		}
		at = next
	}
}

// carryOut records what an act created, and reports whether it created anything.
func (s *Scene) carryOut(r *v1alpha1.MachineRemediation, d ladder.Decision, at time.Time) bool {
	n := int(d.Attempt.Number)
	if d.Act == ladder.CreateReboot && len(r.Status.Attempts) == 0 && s.begun[r.Name] == nil {
		s.begun[r.Name] = &ladder.Request{OperationID: d.Attempt.OperationID, Ref: *rebootOf(r, n), BeganAt: at}
		return true
	}
	if first := d.Act == ladder.MarkForOwner && !s.ladderFacts(r).Machine.Mark.Stands(); first || d.Act == ladder.WithdrawMark {
		s.mark(r.Spec.MachineRef.UID, d.Act)
		return true
	}
	if d.Act == ladder.DeleteMachine && d.Step.Deletes() {
		s.delete(r.Spec.MachineRef.UID, at)
		return true
	}
	if !d.Act.Begins() || len(r.Status.Attempts) != n || r.Status.Attempts[n-1].ObjectRef != nil {
		return false
	}
	r.Status.Attempts[n-1].ObjectRef = s.madeBy(r, d.Act, n)
	return true
}

// madeBy returns what an act creates or acts on.
func (s *Scene) madeBy(r *v1alpha1.MachineRemediation, act ladder.Act, attempt int) *v1alpha1.RemediationObjectReference {
	switch act {
	case ladder.CreateReboot:
		return rebootOf(r, attempt)
	case ladder.MarkForOwner:
		return s.ladderFacts(r).Machine.Owner
	default:
		return &v1alpha1.RemediationObjectReference{Kind: "Machine", Name: r.Spec.MachineRef.Name}
	}
}

func rebootOf(r *v1alpha1.MachineRemediation, attempt int) *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{Kind: "RebootRemediation", Name: fmt.Sprintf("%s-%d", r.Name, attempt)}
}
