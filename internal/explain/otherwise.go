package explain

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// otherwise says what would change the course of events.
func (m *Machine) otherwise(state State, now time.Time) []string {
	switch {
	case m.Record != nil && m.Record.cancelled() && (state == StateInRepair || m.onTheirWord()):
		// It ends.
		return nil
	case m.onTheirWord() && state != StateInRepair && state != StateHeld && state != StateDeleting:
		// No selector, gate or verdict counts for it.
		return append(m.othersDone(), "You cancel it: then "+m.Record.stops())
	}
	return m.otherwiseIn(state, now)
}

// otherwiseIn says what would change the course of events in a state, for what a MachineHealthCheck has admitted or would admit.
func (m *Machine) otherwiseIn(state State, now time.Time) []string {
	switch state {
	case StateUnwatched:
		if mhcspec.RemediationSkipped(m.Machine) {
			return []string{"Somebody removes the annotation cluster.x-k8s.io/skip-remediation from the Machine: then Sickbay watches it"}
		}
		if m.Check != nil {
			return []string{"Somebody hands MachineHealthCheck " + m.Check.MachineHealthCheck.Name + " over to Sickbay: then Sickbay watches the machine"}
		}
		return []string{"The selector of a MachineHealthCheck of its cluster matches its labels: then Sickbay watches it"}
	case StatePaused:
		return []string{"The pause ends: then Sickbay watches the machine again, and repairs go on"}
	case StateHeld:
		if verdict.FailureOf(m.Machine) != "" {
			return []string{youRetry, "The machine is gone: then the repair ends"}
		}
		return []string{youRetry, "The machine becomes healthy, or is gone: then the repair ends"}
	case StateProbation:
		return []string{"It falls sick again before that: then the attempt fails, and " + m.Record.follows()}
	case StateInRepair:
		return append(m.comesOn(), "You cancel it: then "+m.Record.stops())
	case StateUndecided, StateHealthy:
		return m.staysHealthy(now)
	case StateSick, StateOnHold:
		return m.moves(state)
	default:
		return nil
	}
}

// comesOn says what ends an attempt without a person who cancels it: the machine's recovery, or, for a host that is kept off, a wish for power.
func (m *Machine) comesOn() []string {
	if ladder.SingleSteps(m.Record.Record) {
		return []string{"Somebody annotates the Machine with reboot.metal3.io/PowerOn: then its host is switched on"}
	}
	return m.recovers("The machine becomes healthy before that", "then "+m.Record.recovered())
}

// follows says what comes after the current step.
func (r *Record) follows() string {
	if left := r.left(); left != "" {
		return "the plan goes on"
	}
	return "a person decides"
}

// recovered says what follows if the machine gets healthy.
func (r *Record) recovered() string {
	if r.Record.Spec.Probation() == 0 {
		return "the repair ends"
	}
	return "its probation begins, and nothing more is done"
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
func (m *Machine) moves(state State) []string {
	all, wait := m.othersDone(), m.wait()
	switch {
	case m.Record != nil && m.needsApproval():
		all = append(all, "You approve the step: then it begins when a slot is free", "You deny it: then "+m.Record.stops())
	case state == StateOnHold:
		all = append(all, "Somebody ends the hold earlier: then repairs go on")
	case m.wouldBegin():
		all = append(all, m.Check.acts()+": then the repair begins")
	case m.Record != nil && m.onlyReports():
		all = append(all, m.Check.acts()+": then the repair goes on")
	case wait == nil:
	case wait.Reason == v1alpha1.ReasonGateClosed:
		all = append(all, gateOpens+m.Check.opens())
	case wait.Reason == admission.ReasonSignalSuspected:
		all = append(all, "Somebody raises or removes maxShare in the annotation "+mhcspec.SignalsAnnotation+" of MachineHealthCheck "+m.Check.MachineHealthCheck.Name+": then the repair begins")
	case m.wouldWait():
		all = append(all, m.Check.acts()+": then repairs begin")
	case wait.Reason == v1alpha1.ReasonNoSlot:
		all = append(all, "A slot becomes free, or more than "+areAllowed(m.Check.Decision.Slots())+": then the next in line goes into repair")
	}
	return append(all, m.recovers("The machine recovers by itself", "then it is not repaired")...)
}

// acts says what has a MachineHealthCheck repair that only reports.
func (c *Check) acts() string {
	if c.Decision.Config.DryRun {
		return "Somebody removes the annotation " + mhcspec.DryRunAnnotation + " from MachineHealthCheck " + c.MachineHealthCheck.Name
	}
	return "Somebody changes the mode Observe of MachineRemediationTemplate " + c.MachineHealthCheck.Spec.Remediation.TemplateRef.Name
}

// onTheirWord reports whether somebody has asked for what is done to the machine, whatever its health.
func (m *Machine) onTheirWord() bool { return m.Record != nil && m.Record.Record.Spec.OnTheirWord() }

// wantedOff matches what is said of a host that a person wants off.
var wantedOff = regexp.MustCompile(`^Somebody wants the host (\S+) off \(spec\.online\)$`)

// leftToOthers reports whether a repair waits until somebody else is done with the machine.
func (m *Machine) leftToOthers() bool {
	return m.Record != nil && m.stuck() == "" && ladder.Progress(&m.Record.Record.Status).Reason == v1alpha1.ReasonRemediationHeldByOthers
}

// othersDone says what follows once others leave the machine; empty if it is not left to any.
func (m *Machine) othersDone() []string {
	if !m.leftToOthers() {
		return []string{}
	}
	if host := wantedOff.FindStringSubmatch(m.Record.message()); host != nil {
		return []string{"Somebody sets spec.online: true on BareMetalHost " + host[1] + ": then the repair goes on"}
	}
	return []string{"They are done: then the repair goes on"}
}

// wouldWait reports whether the machine would wait for a slot, if its MachineHealthCheck did not only report.
func (m *Machine) wouldWait() bool {
	wait := m.wait()
	return wait != nil && wait.Reason == v1alpha1.ReasonNoSlot && m.onlyReports()
}

// wouldBegin reports whether the repair of the machine would begin now, if its MachineHealthCheck did not only report.
func (m *Machine) wouldBegin() bool { return m.admitted() && m.onlyReports() }

func (m *Machine) onlyReports() bool { return m.Check != nil && m.Check.Decision.Config.OnlyReports() }

// areAllowed says that so many are allowed, in words if it is one.
func areAllowed(n int) string {
	if n == 1 {
		return "one is allowed"
	}
	return Number(n) + " are allowed"
}

// recovers says what happens if a machine becomes healthy; nothing if it cannot. What its provider reports as a failure for good is never cleared, and
// what somebody asks for stands until somebody takes it back.
func (m *Machine) recovers(how, then string) []string {
	if verdict.FailureOf(m.Machine) != "" || m.onTheirWord() {
		return nil
	}
	if _, asked := m.Machine.Annotations[clusterv1.RemediateMachineAnnotation]; asked {
		how = "Somebody removes the annotation " + clusterv1.RemediateMachineAnnotation
	}
	return []string{how + ": " + then}
}

// youRetry is the way out of Held that is open to a person.
const youRetry = "You retry it: then the repair goes on when a slot is free"

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
