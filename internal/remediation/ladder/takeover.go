package ladder

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// takeOver records the effect of an attempt's act, once it is visible. The first act may precede its attempt, since creating the
// record is the intent for it, and an earlier version of Sickbay may have left a mark or a request. Then an attempt has begun
// although the record does not show it yet.
func (t *turn) takeOver() bool {
	if attempt := atWork(&t.s); attempt != nil && attempt.ObjectRef == nil {
		t.notice(attempt)
	}
	if t.s.Attempt > 1 || len(t.s.Attempts) > 0 {
		return false
	}
	step, ref := t.begunUnseen()
	if ref == nil {
		return false
	}
	t.begin(step).ObjectRef = ref
	return t.goOn(t.waitsFor(step))
}

// notice records the effect of the act of the attempt at work. The attempt's time runs from then on.
func (t *turn) notice(attempt *v1alpha1.RemediationAttempt) {
	step := t.stepOf(attempt)
	if attempt.ObjectRef = t.seen(step, attempt.OperationID, true); attempt.ObjectRef != nil {
		t.s.NextTransitionTime = new(metav1.NewTime(t.time().Add(step.Timeout())))
	}
}

// begunUnseen returns the step that has begun, and its effect; nil if none has. If the record does not show it, that is the first
// step, or, if the machine has our mark, the next one that replaces it.
func (t *turn) begunUnseen() (v1alpha1.RemediationStep, *v1alpha1.RemediationObjectReference) {
	step, ok := t.nextStep()
	if !ok {
		return step, nil
	}
	intended := t.s.Attempt == 0 && HasSlot(t.f.Record)
	if ref := t.seen(step, OperationID(t.f.Record, 1), intended); ref != nil {
		return step, ref
	}
	replace := firstReplace(t.f.Record)
	if replace <= indexOf(t.f.Record, step.Name) || !t.f.Machine.Mark.Ours {
		return step, nil
	}
	return t.f.Record.Spec.Steps[replace], t.seenMark(false)
}

// seen returns the effect of an attempt's act, or nil if there is none. If the attempt was intended, whatever its act would have
// done counts as its own.
func (t *turn) seen(step v1alpha1.RemediationStep, operation string, intended bool) *v1alpha1.RemediationObjectReference {
	m, request := t.f.Machine, t.f.Request
	switch {
	case step.Action == v1alpha1.ActionReplace:
		return t.seenReplace(intended)
	case t.annotates(step) && m.RebootOperation == operation:
		return t.self()
	case !t.annotates(step) && request != nil && request.OperationID == operation:
		return request.Ref.DeepCopy()
	}
	return nil
}

// seenReplace returns the owner that the machine is marked for, or the machine itself if it has no owner and is being deleted.
func (t *turn) seenReplace(intended bool) *v1alpha1.RemediationObjectReference {
	m := t.f.Machine
	if m.Owner != nil {
		return t.seenMark(intended)
	}
	if m.Gone && t.f.Record.Annotations[OwnerUIDAnnotation] != "" {
		// It had an owner, so Sickbay did not delete it, and nobody knows whether it was marked.
		return nil
	}
	if intended && (m.Deleting() || m.Gone) {
		return t.self()
	}
	return nil
}

// OwnerUIDAnnotation on a record holds the UID of the controller that owned the machine; empty if none did.
const OwnerUIDAnnotation = "sickbay.dev/owner-uid"

// seenMark returns the owner that the machine is marked for. If we intended a mark, somebody else's counts as ours, since ours
// would not be set a second time.
func (t *turn) seenMark(intended bool) *v1alpha1.RemediationObjectReference {
	m := t.f.Machine
	if m.Owner == nil || !m.Mark.Stands() || (!m.Mark.Ours && !intended) {
		return nil
	}
	return m.Owner.DeepCopy()
}

// self returns the machine of the record.
func (t *turn) self() *v1alpha1.RemediationObjectReference {
	ref := t.f.Record.Spec.MachineRef
	return &v1alpha1.RemediationObjectReference{APIVersion: ref.APIGroup + "/v1beta2", Kind: "Machine", Name: ref.Name, UID: ref.UID}
}
