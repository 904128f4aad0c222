package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// takeOver records an attempt that has begun although the record does not say so yet: its act is the first thing after the
// creation of the record, and an earlier version of Sickbay may have left a mark or a request.
func (t *turn) takeOver() bool {
	if t.s.Attempt != 0 {
		return false
	}
	step, ok := first(t.f.Record)
	if !ok || !acts(step.Action) {
		return false
	}
	ref := t.seen(step, OperationID(t.f.Record, 1))
	if ref == nil {
		return false
	}
	t.begin(step).ObjectRef = ref
	return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, t.waitsFor(step))
}

// seen returns what the act of an attempt has led to, or nil if there is nothing to be seen.
func (t *turn) seen(step v1alpha1.RemediationStep, operation string) *v1alpha1.RemediationObjectReference {
	m, request := t.f.Machine, t.f.Request
	spec := t.f.Record.Spec.MachineRef
	self := &v1alpha1.RemediationObjectReference{APIVersion: spec.APIGroup + "/v1beta2", Kind: "Machine", Name: spec.Name, UID: spec.UID}
	switch {
	case m.Gone:
		return nil
	case step.Action == v1alpha1.ActionReplace && m.Owner != nil && (m.Mark.Stands() || m.Deleting()):
		return m.Owner.DeepCopy()
	case step.Action == v1alpha1.ActionReplace && m.Deleting():
		return self
	case t.annotates(step) && m.RebootOperation == operation:
		return self
	case request != nil && request.OperationID == operation && step.Action != v1alpha1.ActionReplace:
		return request.Ref.DeepCopy()
	}
	return nil
}

// annotates reports whether a step asks for its power cycle by annotation: that of the built-in plan.
func (t *turn) annotates(step v1alpha1.RemediationStep) bool {
	return step.Action == v1alpha1.ActionReboot && builtIn(t.f.Record)
}

// gone ends the record of a machine that is gone, once nothing is left on its host and its successor is proven.
func (t *turn) gone() bool {
	if !t.f.Machine.Gone {
		return false
	}
	attempt := atWork(&t.s)
	if attempt != nil {
		step, _ := stepNamed(t.f.Record, attempt.Step)
		if step.Action == v1alpha1.ActionReplace && attempt.ObjectRef != nil {
			return t.replaced(attempt)
		}
		t.end(attempt, v1alpha1.ResultUnneeded, "The machine is gone")
	}
	if t.withdrawRequest() {
		return true
	}
	if last := latest(&t.s); last != nil && last.Result == "" {
		last.Result = v1alpha1.ResultUnneeded
	}
	return t.complete(v1alpha1.ReasonMachineDeleted, "The machine is gone, and not by this remediation")
}
