package simulate

import (
	"strings"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
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
	case m.check.onlyReports.IsSet():
		return m.check.onlyReports.String()
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
	if reason := m.verdict().Reason; m.record == nil {
		if reason == verdict.ReasonNodeUnavailable {
			return "the Node cannot be read"
		}
		return reason
	}
	if m.record.obj.Status.Phase == v1alpha1.RemediationHeld {
		return "a person must decide"
	}
	if reason := ladder.Progress(&m.record.obj.Status).Reason; reason != "" {
		return endWords(reason)
	}
	return inRepair
}

// endWords returns the words for what holds a machine back at the end, by its reason.
func endWords(reason string) string {
	return strings.TrimPrefix(explain.ReasonWords(reason), explain.NotRepaired)
}
