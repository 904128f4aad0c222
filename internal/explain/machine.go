package explain

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Page explains a machine.
func (f *Facts) Page(m *Machine) Page {
	p := Page{
		APIVersion: APIVersion, Kind: "Machine", Namespace: m.Machine.Namespace, Name: m.Machine.Name, Cluster: m.Machine.Spec.ClusterName, At: f.Now,
		State: m.State(f.Now), Next: m.upcomingOf(f),
	}
	p.Headline = m.headline(p.State, f.Now)
	p.row("Cluster", m.where())
	m.why(&p, f.Now)
	p.row("Overlap", sentences(m.beside(f.Now), f.ignoredBy(m)))
	m.tellStart(&p, f.Now)
	f.tellDeletion(&p, m)
	f.tellRepair(&p, m)
	p.row("Owner", m.owner())
	p.row("Pattern", m.Check.pattern())
	p.row("History", m.history(f.Now))
	m.draw(&p, f.Now)
	p.row("Unless", unless(p.Otherwise))
	f.tellNext(&p)
	if m.Record != nil {
		m.Record.choices(&p)
	}
	return p
}

// Headline describes the state of the machine in one sentence.
func (m *Machine) Headline(now time.Time) string { return m.headline(m.State(now), now) }

// Since returns when the verdict began; zero if there is none.
func (m *Machine) Since() time.Time { return m.verdict().LastTransitionTime.Time }

// draw adds the figures behind the rows.
func (m *Machine) draw(p *Page, now time.Time) {
	p.Otherwise, p.Verdict, p.Gate, p.Slots, p.Line = m.otherwise(p.State, now), m.verdictPart(), m.Check.Gate(), m.Check.Slots(), m.line()
	switch {
	case m.Record != nil:
		p.Repair = m.Record.Repairing(now)
	case len(m.Past) > 0:
		p.Repair = m.Past[0].Repairing(now)
	}
	if m.Record == nil {
		p.Plan = m.Check.Plan()
	}
	if p.State != StateDeleting && p.State != StateUnwatched {
		p.Commands = holds("machine", m.Machine, now)
	}
}

// where names the machine's cluster, Node, failure domain and MachineHealthCheck.
func (m *Machine) where() string {
	text := m.Machine.Spec.ClusterName
	if m.Machine.Status.NodeRef.IsDefined() {
		text += ", Node " + m.Machine.Status.NodeRef.Name
	}
	if m.Machine.Spec.FailureDomain != "" {
		text += ", in " + m.Machine.Spec.FailureDomain
	}
	if m.Check != nil {
		text += "; MachineHealthCheck " + m.Check.MachineHealthCheck.Name
	}
	return text
}

// headline describes the state of the machine in one sentence.
func (m *Machine) headline(state State, now time.Time) string {
	switch state {
	case StateHealthy:
		return "HEALTHY since " + Clock(m.verdict().LastTransitionTime.Time, now)
	case StateSick, StateOnHold:
		return m.healthFor(now) + ", " + m.standing(now)
	case StateInRepair:
		return m.healthFor(now) + ", " + m.attempting()
	case StateProbation:
		return m.healthFor(now) + ", in probation" + m.Record.until(now)
	case StateHeld:
		return m.healthFor(now) + ", HELD. Nothing more happens until you decide"
	case StatePaused:
		return "PAUSED: " + m.paused()
	case StateDeleting:
		return "BEING DELETED for " + ago(m.Machine.DeletionTimestamp.Time, now)
	case StateUnwatched:
		return "NOT MANAGED: " + m.unwatched()
	default:
		return m.healthFor(now)
	}
}

// healthFor states the verdict, and for how long it has stood.
func (m *Machine) healthFor(now time.Time) string {
	verdict := m.verdict()
	word := "UNDECIDED"
	switch {
	case verdict.Status == "True":
		word = "HEALTHY"
	case m.sick():
		word = "SICK"
	}
	if verdict.Status == "" {
		return word + ", no verdict yet"
	}
	return word + " for " + ago(verdict.LastTransitionTime.Time, now)
}

func (m *Machine) unwatched() string {
	if mhcspec.RemediationSkipped(m.Machine) {
		return "the Machine has the annotation cluster.x-k8s.io/skip-remediation"
	}
	if m.Check != nil {
		return "another controller manages MachineHealthCheck " + m.Check.MachineHealthCheck.Name
	}
	return "no MachineHealthCheck selects it"
}

// standing says whether a sick machine is about to be repaired, or else what it waits for.
func (m *Machine) standing(now time.Time) string {
	switch wait := m.wait(); {
	case m.Record != nil && m.Record.Record.Status.Phase == v1alpha1.RemediationPending && wait == nil:
		return m.pending(ladder.Progress(&m.Record.Record.Status).Reason)
	case wait != nil && !m.wouldWait():
		return ReasonWords(wait.Reason)
	case wait != nil || m.wouldBegin():
		return NotRepaired + onlyReports(m.Check)
	case m.admitted():
		return "about to be repaired"
	}
	if why, _ := m.hold(now); why != "" {
		return ReasonWords(v1alpha1.ReasonOnHold)
	}
	if m.Check != nil && m.Check.Problem != "" {
		return NotRepaired + m.Check.Problem
	}
	return "about to be judged"
}

// pending says what a repair waits for that has no slot, by the reason of its record.
func (m *Machine) pending(reason string) string {
	switch {
	case reason == v1alpha1.ReasonRemediationHeldByOthers && m.stuck() != "":
		return "waiting for an owner that does not act"
	case reason == v1alpha1.ReasonPaused && m.onlyReports():
		return NotRepaired + onlyReports(m.Check)
	}
	return ReasonWords(reason)
}

// ReasonWords says in a headline what a machine waits for, by the reason.
func ReasonWords(reason string) string {
	if said, ok := waitWords[reason]; ok {
		return said
	}
	return "waiting: " + reason
}

func onlyReports(c *Check) string {
	if c.Decision.Config.DryRun {
		return "the MachineHealthCheck is in dry-run"
	}
	return "the plan only observes"
}

// why adds the verdict, and why nothing is done about it.
func (m *Machine) why(p *Page, now time.Time) {
	if verdict := m.verdict(); verdict.Status != "True" {
		p.row("Why", verdict.Message)
	}
	if m.unavailable() && m.Health != nil && m.Health.Node.State != verdict.NodeUnreadable {
		p.row("Unclear", "This command can read the Node, but the manager cannot yet: its connection may return at any time")
	}
	p.row("Clock", m.clocks(now))
	if !m.sick() {
		why, _ := m.hold(now)
		p.row("Hold", humanize.Upper(why))
		return
	}
	if m.wouldWait() {
		place, of := m.place()
		p.row("Would", fmt.Sprintf("%s, once a slot is free; number %d of %d in line", m.stepOf(), place, of))
		return
	}
	if wait := m.wait(); wait != nil {
		m.whyNot(p, wait, now)
		return
	}
	if m.wouldBegin() {
		p.row("Would", m.stepOf())
	}
}

// whyNot adds what holds a sick machine back, when that ends, and what happens then.
func (m *Machine) whyNot(p *Page, wait *admission.Waiting, now time.Time) {
	p.row("Why not", humanize.Upper(wait.Why))
	switch wait.Reason {
	case v1alpha1.ReasonGateClosed:
		p.row("Opens", m.Check.opens())
	case v1alpha1.ReasonOnHold:
		if _, until := m.hold(now); !until.IsZero() {
			p.row("Until", Clock(until, now))
		}
	}
	if place, of := m.place(); place > 0 && wait.Why != "" {
		p.row("Then", fmt.Sprintf("%s; number %d of %d in line", m.stepOf(), place, of))
	}
}

// stepOf returns the step that the machine begins or continues with.
func (m *Machine) stepOf() string {
	if m.Record != nil && m.Record.Record.Status.Step != "" {
		return m.Record.Record.Status.Step
	}
	if m.Check == nil {
		return "the step is unknown"
	}
	for _, one := range m.Check.Decision.Admit {
		if one.Machine.UID == m.Machine.UID {
			return m.Check.Decision.StepOf(one)
		}
	}
	if steps := m.Check.Decision.Steps; len(steps) > 0 {
		return steps[0].Name
	}
	return "the step is unknown"
}

// tellRepair adds what was done and what is being done.
func (f *Facts) tellRepair(p *Page, m *Machine) {
	if m.Record != nil {
		if by := m.Record.Record.Spec.RequestedBy; by != nil {
			p.row("Asked by", by.String())
		}
		m.Record.tell(p, m, f.Now)
	}
	if wait := m.wait(); m.Check != nil && m.sick() && (m.Record != nil || (wait != nil && wait.Reason == v1alpha1.ReasonNoSlot)) {
		p.row("Slots", f.slotsNow(m.Check, m))
	}
}
