package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Alone is what a record says by itself of its machine and of what stands, for somebody who may read nothing else.
func Alone(r *v1alpha1.MachineRemediation) Facts {
	f := Facts{Record: r, Machine: Machine{Health: Sick}}
	if r.Status.RecoveryTime != nil {
		f.Machine.Health = Healthy
	}
	last := latest(&r.Status)
	if last == nil || last.ObjectRef == nil {
		return f
	}
	t := turn{f: f, s: r.Status}
	step := t.stepOf(last)
	if step.Action == v1alpha1.ActionReplace && last.ObjectRef.Kind != "Machine" {
		f.Machine.Owner = last.ObjectRef.DeepCopy()
	}
	if last.EndTime != nil && t.reason() != v1alpha1.ReasonWithdrawing {
		return f
	}
	switch {
	case f.Machine.Owner != nil:
		f.Machine.Mark = Mark{State: MarkWaiting, Ours: true}
	case step.Action == v1alpha1.ActionReplace:
		f.Machine.DeletingSince = last.StartTime.Time
	case t.annotates(step):
		f.Machine.RebootOperation, f.Machine.RebootStands = last.OperationID, true
	case Acts(step.Action):
		f.Request = &Request{OperationID: last.OperationID, Ref: *last.ObjectRef}
	}
	return f
}
