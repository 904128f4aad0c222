package ladder

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// takeOver records the effect of an attempt's act, once it is visible, when somebody began it, and whether a withdrawal has won. The first
// act may precede its attempt, since creating the record is the intent for it.
func (d *draft) takeOver() bool {
	if attempt := atWork(&d.s); attempt != nil {
		d.notice(attempt)
	} else {
		d.noteUnreadable()
		d.settleWithdrawal()
	}
	if d.s.Attempt > 1 || len(d.s.Attempts) > 0 {
		return false
	}
	step, ref := d.begunUnseen()
	if ref == nil {
		return false
	}
	attempt := d.begin(step)
	attempt.ObjectRef = ref
	d.notice(attempt)
	return d.goOn(d.waitsFor(step))
}

// begunUnseen returns the first step, and the effect of its act; nil if there is none.
func (d *draft) begunUnseen() (v1alpha1.RemediationStep, *v1alpha1.RemediationObjectReference) {
	step, ok := d.nextStep()
	if !ok {
		return step, nil
	}
	intended := d.s.Attempt == 0 && d.mayAct()
	return step, d.seen(step, OperationID(d.f.Record, 1), intended)
}

// seen returns the effect of an attempt's act, or nil if there is none. If the attempt was intended, whatever its act would have
// done counts as its own.
func (d *draft) seen(step v1alpha1.RemediationStep, operation string, intended bool) *v1alpha1.RemediationObjectReference {
	request := d.f.Request
	switch {
	case step.Action == v1alpha1.ActionReplace:
		return d.seenReplace(step, intended)
	case request != nil && request.OperationID == operation:
		return request.Ref.DeepCopy()
	}
	return nil
}

// seenReplace returns the owner that the machine is marked for. If the step deletes the machine itself, and that is being deleted, it is the owner that
// makes the next one, or the machine itself if it has no owner.
func (d *draft) seenReplace(step v1alpha1.RemediationStep, intended bool) *v1alpha1.RemediationObjectReference {
	m, owner := d.f.Machine, d.owner()
	switch {
	case m.Owner != nil && step.Marks():
		return d.seenMark(intended)
	case m.Gone && d.f.Record.Annotations[OwnerUIDAnnotation] != "" && (owner == nil || step.Marks()):
		// It had an owner, so Sickbay did not delete it, and nobody knows whether it was marked.
		return nil
	case !intended || (!m.Deleting() && !m.Gone):
		return nil
	case owner != nil:
		return owner
	}
	return d.self()
}

// owner returns who makes another machine after a deletion: the controller that owns the machine, or owned it when the record was made if the machine is
// gone, unless another one is known; nil if nobody does.
func (d *draft) owner() *v1alpha1.RemediationObjectReference {
	switch m := d.f.Machine; {
	case m.Maker != nil:
		return m.Maker.DeepCopy()
	case !m.Gone:
		return m.Owner.DeepCopy()
	}
	uid, named := d.f.Record.Annotations[OwnerUIDAnnotation], strings.Fields(d.f.Record.Annotations[OwnerAnnotation])
	if uid == "" || len(named) != 3 {
		return nil
	}
	return &v1alpha1.RemediationObjectReference{APIVersion: named[0], Kind: named[1], Name: named[2], UID: types.UID(uid)}
}

// OwnerUIDAnnotation on a record holds the UID of the controller that owned the machine; empty if none did.
const OwnerUIDAnnotation = "sickbay.dev/owner-uid"

// OwnerAnnotation on a record whose plan deletes machines that have owners holds the apiVersion, the kind and the name of that controller. A machine
// that Sickbay has deleted may be gone before anybody could store who makes the next one.
const OwnerAnnotation = "sickbay.dev/owner"

// seenMark returns the owner that the machine is marked for. If we intended a mark, somebody else's counts as ours, since ours
// would not be set a second time.
func (d *draft) seenMark(intended bool) *v1alpha1.RemediationObjectReference {
	m := d.f.Machine
	if m.Owner == nil || !m.Mark.Stands() || (!m.Mark.Ours && !intended) {
		return nil
	}
	return m.Owner.DeepCopy()
}

// self returns the machine of the record.
func (d *draft) self() *v1alpha1.RemediationObjectReference {
	ref := d.f.Record.Spec.MachineRef
	return &v1alpha1.RemediationObjectReference{APIVersion: ref.APIGroup + "/v1beta2", Kind: "Machine", Name: ref.Name, UID: ref.UID}
}
