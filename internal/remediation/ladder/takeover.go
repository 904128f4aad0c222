package ladder

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// takeOver records the effect of an attempt's act, once it is visible. The first act may precede its attempt, since creating the
// record is the intent for it, and the machine may have had a mark or a request before the record. Then an attempt has begun although
// the record does not show it yet.
func (d *draft) takeOver() bool {
	if attempt := atWork(&d.s); attempt != nil && attempt.ObjectRef == nil {
		d.notice(attempt)
	}
	if d.s.Attempt > 1 || len(d.s.Attempts) > 0 {
		return false
	}
	step, ref := d.begunUnseen()
	if ref == nil {
		return false
	}
	d.begin(step).ObjectRef = ref
	return d.goOn(d.waitsFor(step))
}

// notice records the effect of the act of the attempt at work. The attempt's time runs from then on.
func (d *draft) notice(attempt *v1alpha1.RemediationAttempt) {
	step := d.stepOf(attempt)
	if attempt.ObjectRef = d.seen(step, attempt.OperationID, true); attempt.ObjectRef != nil {
		d.s.NextTransitionTime = new(metav1.NewTime(d.time().Add(step.Timeout())))
	}
}

// begunUnseen returns the step that has begun, and its effect; nil if none has. If the record does not show it, that is the first
// step, or, if the machine has our mark, the next one that replaces it.
func (d *draft) begunUnseen() (v1alpha1.RemediationStep, *v1alpha1.RemediationObjectReference) {
	step, ok := d.nextStep()
	if !ok {
		return step, nil
	}
	intended := d.s.Attempt == 0 && HasSlot(d.f.Record)
	if ref := d.seen(step, OperationID(d.f.Record, 1), intended); ref != nil {
		return step, ref
	}
	replace := firstReplace(d.f.Record)
	if replace <= indexOf(d.f.Record, step.Name) || !d.f.Machine.Mark.Ours {
		return step, nil
	}
	return d.f.Record.Spec.Steps[replace], d.seenMark(false)
}

// seen returns the effect of an attempt's act, or nil if there is none. If the attempt was intended, whatever its act would have
// done counts as its own.
func (d *draft) seen(step v1alpha1.RemediationStep, operation string, intended bool) *v1alpha1.RemediationObjectReference {
	m, request := d.f.Machine, d.f.Request
	switch {
	case step.Action == v1alpha1.ActionReplace:
		return d.seenReplace(intended)
	case d.annotates(step) && m.RebootOperation == operation:
		return d.self()
	case !d.annotates(step) && request != nil && request.OperationID == operation:
		return request.Ref.DeepCopy()
	}
	return nil
}

// seenReplace returns the owner that the machine is marked for, or the machine itself if it has no owner and is being deleted.
func (d *draft) seenReplace(intended bool) *v1alpha1.RemediationObjectReference {
	m := d.f.Machine
	if m.Owner != nil {
		return d.seenMark(intended)
	}
	if m.Gone && d.f.Record.Annotations[OwnerUIDAnnotation] != "" {
		// It had an owner, so Sickbay did not delete it, and nobody knows whether it was marked.
		return nil
	}
	if intended && (m.Deleting() || m.Gone) {
		return d.self()
	}
	return nil
}

// OwnerUIDAnnotation on a record holds the UID of the controller that owned the machine; empty if none did.
const OwnerUIDAnnotation = "sickbay.dev/owner-uid"

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
