package explain

import (
	"fmt"
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// owner says what the owner of a machine answers when it is asked to replace it, and what keeps it from doing so.
func (m *Machine) owner() string {
	says := ""
	if m.Record != nil {
		says = m.Record.ownerSays()
	}
	return sentences(says, m.silenceWords(m.silent()))
}

// ownerSays repeats what the machine's owner says about replacing it. A mark that waits is Sickbay's own word, or that of another health check.
func (r *Record) ownerSays() string {
	mark := r.Facts.Machine.Mark
	if r.Facts.Record == nil || !mark.Stands() || mark.State == ladder.MarkWaiting || mark.Message == "" {
		return ""
	}
	owner := "The owner"
	if o := r.Facts.Machine.Owner; o != nil {
		owner = o.Kind + " " + o.Name
	}
	return fmt.Sprintf("%s says: %s", owner, mark.Message)
}

// silent returns why the owner of a sick machine does not replace it when asked, if that is what the repair waits for, or what comes next.
func (m *Machine) silent() silence.Why {
	if !m.Machine.DeletionTimestamp.IsZero() || m.paused() != "" || !m.replaces() {
		return silence.Why{}
	}
	if m.step().Deletes() {
		return silence.OfDeletion(m.Owner)
	}
	why := silence.Of(m.Owner)
	if why.Cause == silence.KindUnknown && (m.Record == nil || m.Record.Facts.Machine.Mark.State != ladder.MarkWaiting) {
		// It may answer, and nobody waits for it yet.
		return silence.Why{}
	}
	return why
}

// replaces reports whether the current step of a sick machine replaces it, or the next one, or the last one if none is left.
func (m *Machine) replaces() bool { return m.step().Action == v1alpha1.ActionReplace }

// step returns the current step of a sick machine, or the next one, or the last one if none is left.
func (m *Machine) step() v1alpha1.RemediationStep {
	if m.Record == nil {
		if m.Check == nil || m.Check.Foreign || !m.sick() {
			return v1alpha1.RemediationStep{}
		}
		return stepNamed(m.Check.Decision.Steps, m.stepOf())
	}
	name := m.stepOf()
	if last := ladder.Last(&m.Record.Record.Status); m.phase() == v1alpha1.RemediationHeld && last != nil {
		name = last.Step
	}
	if m.phase() == v1alpha1.RemediationProbation {
		return v1alpha1.RemediationStep{}
	}
	return stepNamed(m.Record.Record.Spec.Steps, name)
}

func stepNamed(steps []v1alpha1.RemediationStep, name string) v1alpha1.RemediationStep {
	if i := ladder.IndexOf(steps, name); i >= 0 {
		return steps[i]
	}
	return v1alpha1.RemediationStep{}
}

// pausedBy is what pauses an owner.
var pausedBy = map[silence.Cause]string{
	silence.PausedBySpec: "spec.paused", silence.PausedByAnnotation: "annotation cluster.x-k8s.io/paused",
}

// silenceWords names what keeps the owner of a machine from replacing it, and the command that ends it.
func (m *Machine) silenceWords(why silence.Why) string {
	name, so := why.Kind+" "+why.Name, ", so it does not replace the machine"
	if why.Kind == "MachineDeployment" {
		so = ", so its rollout does not replace the machine, which is of an older revision"
	}
	command := why.Command(m.Machine.Namespace, m.Machine.Name)
	if why.Topology != "" {
		command += " and change spec.topology"
	}
	switch why.Cause {
	case silence.PausedBySpec, silence.PausedByAnnotation:
		return name + " is paused (" + pausedBy[why.Cause] + ")" + so + ". To unpause it, run " + command
	case silence.ScaledToZero:
		return name + " is scaled to zero, so it makes no other machine. To have one, run " + command
	case silence.Deleting:
		return name + " is being deleted, so it makes no other machine"
	case silence.OnDelete:
		return name + " has the strategy OnDelete, so it replaces the machine, which is of an older revision, only if you delete it: " + command + ". To have Sickbay delete such machines, give MachineHealthCheck " + m.checkName() + " a plan whose step Replace has by: Deletion"
	case silence.MakesNone:
		return name + " makes no machines (annotation cluster.x-k8s.io/disable-machine-create), so nobody would replace the machine. To allow it to, run " + command
	case silence.NoneInFlight:
		return name + " allows no remediation (spec.remediation.maxInFlight), so its MachineSet does not replace the machine. To allow one at a time, run " + command
	case silence.KindNeverAnswers:
		return name + " never replaces a machine when asked: no " + why.Kind + " does. " + m.neverAnswered()
	case silence.KindUnknown:
		return "Sickbay does not know whether owners of the kind " + why.Kind + " replace a machine when asked"
	default:
		return ""
	}
}

// neverAnswered says what helps where an owner never answers. A plan does not get past the step that asks it.
func (m *Machine) neverAnswered() string {
	step, steps := m.step().Name, m.steps()
	if i := ladder.IndexOf(steps, step); i >= 0 && slices.ContainsFunc(steps[i:], v1alpha1.RemediationStep.Deletes) {
		return "The plan never gets from step " + step + " to the step that deletes the machine. For later repairs, remove step " + step + " from the plan, or give it by: Deletion"
	}
	return "If it makes another for each that is deleted, give MachineHealthCheck " + m.checkName() + " a plan whose step Replace has by: Deletion"
}

// steps returns the steps of the machine's record, or those that it would get.
func (m *Machine) steps() []v1alpha1.RemediationStep {
	switch {
	case m.Record != nil:
		return m.Record.Record.Spec.Steps
	case m.Check != nil:
		return m.Check.Decision.Steps
	}
	return nil
}

func (m *Machine) checkName() string {
	if m.Check == nil {
		return m.Record.Record.Spec.HealthCheckRef.Name
	}
	return m.Check.MachineHealthCheck.Name
}

// stuck says why a repair waits for an owner that does nothing before a person does something; empty if it does not. An owner that goes, or wants no
// machines, takes the machine with it.
func (m *Machine) stuck() string {
	why := m.silent()
	if m.Record == nil || !why.Never() || why.Cause == silence.ScaledToZero || why.Cause == silence.Deleting {
		return ""
	}
	return m.silenceWords(why)
}

// ownerRests returns why the owner that a repair waits for does nothing, in a few words; empty if it may act. M is nil if the machine is gone.
// Where the machine is to be deleted, the record says so itself.
func (m *Machine) ownerRests() string {
	if m == nil || m.stuck() == "" || m.step().Deletes() {
		return ""
	}
	return m.silent().Words()
}

// attempting says which attempt is running, or that it waits for an owner in vain.
func (m *Machine) attempting() string {
	if attempt := ladder.AtWork(m.Record.Record); attempt != nil && m.stuck() != "" {
		return attemptName(m.Record.Record, attempt) + " waits for an owner that does not act"
	}
	return m.Record.standing()
}

// machineOf returns the machine of an open record; nil if it is gone.
func (f *Facts) machineOf(r *Record) *Machine {
	for _, m := range f.Machines {
		if m.Record == r {
			return m
		}
	}
	return nil
}
