package ladder

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stands reports whether anything of ours is on the machine. In a Cluster that is being deleted, only a host is released.
func (d *draft) stands() bool {
	if d.goesWithCluster() && d.requestStep().Action != v1alpha1.ActionReboot {
		return false
	}
	return d.markStands() || d.requestStands()
}

// markStands reports whether the owner still has to be told that nobody wants the machine replaced. What it has begun it finishes.
func (d *draft) markStands() bool {
	m := d.f.Machine
	return m.Mark.Ours && m.Mark.Stands() && !m.Deleting() && !m.Gone && !d.goesWithCluster()
}

// goesWithCluster reports whether the machine is being deleted with its Cluster, or soon will be. But that deletion may hang, so nothing stays
// on a machine that is handed back before it is deleted itself.
func (d *draft) goesWithCluster() bool {
	s := d.f.Safety
	return s.Terminating.IsSet() && (!s.Unmanaged.IsSet() || d.f.Machine.Deleting() || d.f.Machine.Gone)
}

// answerDue returns until when an owner that says that it deletes the machine may do so, after the attempt that asked for it; zero if it does
// not say so. Otherwise it would follow the mark the next time the machine is sick.
func (d *draft) answerDue() time.Time {
	if d.f.Machine.Mark.State != MarkAnswered {
		return time.Time{}
	}
	for _, attempt := range slices.Backward(d.s.Attempts) {
		if attempt.EndTime != nil && attempt.ObjectRef != nil && d.stepOf(&attempt).Action == v1alpha1.ActionReplace {
			return attempt.EndTime.Add(deletesSoon)
		}
	}
	return time.Time{}
}

// goesForUs reports whether the machine is being deleted because of our mark, or by us, although the attempt may be over. A deletion that hangs takes
// nothing.
func (d *draft) goesForUs() bool {
	m := d.f.Machine
	byUs := slices.ContainsFunc(d.s.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		return a.Begun() && (d.stepOf(&a).Deletes() || a.ObjectRef.IsMachine())
	})
	return m.Deleting() && !m.Gone && (m.Mark.Ours || byUs) && d.now.Before(m.DeletingSince.Add(DeletionTime))
}

// requestStands reports whether a request of this record exists that is withdrawn with its attempt.
func (d *draft) requestStands() bool {
	request, attempt := d.f.Request, atWork(&d.s)
	if request == nil || request.OperationID == "" || d.gaveUp() {
		return false
	}
	if attempt != nil && attempt.OperationID == request.OperationID {
		return true
	}
	return !outlasts(d.requestStep(), request)
}

// outlasts reports whether a request stays after its attempt, until the record is deleted. Evidence does. So does a finished power
// cycle: it keeps nothing off, but may hold the backup of the Node.
func outlasts(step v1alpha1.RemediationStep, request *Request) bool {
	over := request.Succeeded == "True" || request.Succeeded == "False"
	return evidence(step) || (step.Action == v1alpha1.ActionReboot && over)
}

// requester returns the attempt that made the request; nil if there is none, or it was forgotten.
func (d *draft) requester() *v1alpha1.RemediationAttempt {
	for i := range d.s.Attempts {
		if attempt := &d.s.Attempts[i]; d.f.Request != nil && attempt.OperationID == d.f.Request.OperationID {
			return attempt
		}
	}
	return nil
}

// requestStep returns the step whose attempt made the request. A forgotten step counts as one that does nothing.
func (d *draft) requestStep() v1alpha1.RemediationStep {
	if attempt := d.requester(); attempt != nil {
		return d.stepOf(attempt)
	}
	return v1alpha1.RemediationStep{}
}
