package simulate

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
)

// States at the end of machines that nothing holds back.
const (
	inRepair = "in repair"
	replaced = "replaced"
)

// end returns the state at the end of a machine that was sick: empty if healthy, replaced, inRepair, or what holds it back.
func (m *machine) end() string {
	switch {
	case m.gone:
		return m.afterwards()
	case m.hangs:
		return "still being deleted"
	case m.standing() == ladder.Healthy:
		return ""
	case m.left != "" && m.waitsForOwner():
		return m.left
	case m.record != nil && (ladder.InFlight(m.record.obj) || m.record.obj.Status.Phase == v1alpha1.RemediationActing):
		return inRepair
	case m.pausedBy() != "":
		return "paused: " + m.pausedBy()
	case m.check.foreign:
		return "not managed by this Sickbay"
	case m.check.onlyReports != "":
		return m.check.onlyReports
	}
	return m.waitsFor()
}

// afterwards says what has become of a machine that is gone.
func (m *machine) afterwards() string {
	if m.endless {
		return "each successor falls sick as the machine before it"
	}
	return replaced
}

// waitsForOwner reports whether nothing but its owner can help a machine next.
func (m *machine) waitsForOwner() bool {
	if m.record == nil {
		return onmachine.MarkOf(m.obj).Stands()
	}
	step, ok := ladder.StepNamed(m.record.obj, m.record.obj.Status.Step)
	return ok && step.Action == v1alpha1.ActionReplace
}

// waitsFor says what holds a sick machine back.
func (m *machine) waitsFor() string {
	if why := m.check.shown.waits[m.obj.UID]; why != "" {
		return endWords(why)
	}
	if m.record == nil {
		return endWords(m.verdict().Reason)
	}
	if m.record.obj.Status.Phase == v1alpha1.RemediationHeld {
		return "a person must decide"
	}
	if reason := ladder.Progress(&m.record.obj.Status).Reason; reason != "" {
		return endWords(reason)
	}
	return inRepair
}

// ends are the words for what holds a machine back at the end, by reason.
var ends = map[string]string{
	v1alpha1.ReasonNoSlot:                "no slot is free",
	v1alpha1.ReasonGateClosed:            "the gate is closed",
	v1alpha1.ReasonOnHold:                "on hold",
	v1alpha1.ReasonPaced:                 "paced, until other repairs have proven themselves",
	v1alpha1.ReasonApprovalRequired:      "a person must approve",
	v1alpha1.ReasonBackoff:               "to be retried later",
	v1alpha1.ReasonRefused:               "to be retried later",
	v1alpha1.ReasonPaused:                "paused",
	admission.ReasonInvalidConfiguration: "the MachineHealthCheck is invalid",
	admission.ReasonKindsNotInstalled:    "Sickbay's kinds are not installed",
	admission.ReasonDeleting:             "its Cluster is being deleted",
	admission.ReasonTemplateNotFound:     "the remediation template is missing",
	admission.ReasonSignalSuspected:      "so many Nodes show the same at once that their detector may be wrong",
	admission.ReasonAwaited:              "judged by the repair of the machine that it replaces",
	verdict.ReasonNodeUnavailable:        "the Node cannot be read",
}

// endWords returns the words for a reason.
func endWords(reason string) string {
	if words, ok := ends[reason]; ok {
		return words
	}
	return reason
}
