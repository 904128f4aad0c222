package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// otherwise says what would change the course of events.
func (m *Machine) otherwise(state State, now time.Time) []string {
	switch state {
	case StateUnwatched:
		if mhcspec.RemediationSkipped(m.Machine) {
			return []string{"The annotation cluster.x-k8s.io/skip-remediation is removed from the Machine"}
		}
		if m.Check != nil {
			return []string{"MachineHealthCheck " + m.Check.MachineHealthCheck.Name + " is handed over to Sickbay"}
		}
		return []string{"The selector of a MachineHealthCheck of its cluster matches its labels"}
	case StatePaused:
		return []string{"The pause ends (" + m.paused() + ")"}
	case StateHeld:
		return []string{"You retry it, or the machine becomes healthy, or it is gone"}
	case StateProbation:
		return []string{"It falls sick again before that: then the attempt fails, and " + m.Record.follows()}
	case StateInRepair:
		return []string{"The machine becomes healthy before that: then its probation begins, and nothing more is done", "You cancel it: then a person decides"}
	case StateUndecided, StateHealthy:
		return m.staysHealthy(now)
	case StateSick, StateOnHold:
		return m.moves()
	default:
		return nil
	}
}

// follows says what comes after the current step.
func (r *Record) follows() string {
	if left := r.left(); left != "" {
		return "the plan goes on"
	}
	return "a person decides"
}

// staysHealthy says how a machine avoids the verdict that is due.
func (m *Machine) staysHealthy(now time.Time) []string {
	due, ok := m.nextVerdict(now)
	if !ok || !due.At.After(now) {
		return nil
	}
	return []string{fmt.Sprintf("It recovers before %s: then it is not sick", Clock(due.At, now))}
}

// moves says what has to change for a sick machine to be repaired.
func (m *Machine) moves() []string {
	all := []string{}
	wait := m.wait()
	switch {
	case m.Record != nil && m.needsApproval():
		all = append(all, "You approve or deny the step")
	case wait == nil:
	case wait.Reason == v1alpha1.ReasonGateClosed:
		all = append(all, gateOpens+m.Check.opens())
	case wait.Reason == v1alpha1.ReasonNoSlot:
		all = append(all, fmt.Sprintf("A repair with a slot ends, or there are more than %d slots", m.Check.Decision.Slots()))
	case wait.Reason == v1alpha1.ReasonOnHold:
		all = append(all, "Somebody ends the hold earlier")
	}
	return append(all, "The machine recovers by itself: then it is not repaired")
}

// gateOpens is the prefix of the condition that has a row of its own, Opens.
const gateOpens = "The gate opens "

// unless joins the ways in which events could take another course, except those that another row has.
func unless(otherwise []string) string {
	text := ""
	for _, one := range otherwise {
		switch {
		case strings.HasPrefix(one, gateOpens):
		case text == "":
			text = one
		default:
			text += "; " + strings.ToLower(one[:1]) + one[1:]
		}
	}
	return text
}
