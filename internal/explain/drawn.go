package explain

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Gate returns the current numbers of triggerIf; nil if nothing can be decided.
func (c *Check) Gate() *Gate {
	if c == nil || c.Problem != "" || c.Foreign {
		return nil
	}
	n := c.Decision.Counts
	g := &Gate{
		Open: c.Decision.Allowed, Expected: n.Expected, Healthy: n.Healthy, Sick: n.Sick, Undecided: n.Undecided + n.Unconfirmed, Deleting: n.Deleting,
		NotHealthy: n.Unhealthy(),
	}
	trigger := c.MachineHealthCheck.Spec.Remediation.TriggerIf
	switch {
	case trigger.UnhealthyInRange != "":
		g.Limit = trigger.UnhealthyInRange
	case trigger.UnhealthyLessThanOrEqualTo != nil:
		g.Limit = trigger.UnhealthyLessThanOrEqualTo.String()
	}
	if most, bounded := admission.GateBound(c.MachineHealthCheck); bounded {
		g.Most = new(most(n.Expected))
	}
	return g
}

// Slots returns the slots and who uses them; nil if nothing can be decided.
func (c *Check) Slots() *Slots {
	if c == nil || c.Problem != "" || c.Foreign {
		return nil
	}
	s := &Slots{InUse: len(c.Decision.InFlight), By: slices.Sorted(maps.Values(c.Decision.InFlight))}
	if c.Decision.Bounded() {
		s.Of = new(c.Decision.Slots())
	}
	return s
}

// Plan returns the steps of the next repair.
func (c *Check) Plan() []Step {
	if c == nil || c.Problem != "" {
		return nil
	}
	var all []Step
	for _, step := range admission.Steps(c.Facts, c.Decision.Config) {
		all = append(all, stepOf(step))
	}
	return all
}

func stepOf(step v1alpha1.RemediationStep) Step {
	s := Step{
		Name: step.Name, Action: string(step.Action), State: StepAhead, Attempts: int(step.MaxAttempts()), NeedsApproval: step.NeedsApproval(),
	}
	if step.TimeoutSeconds != nil {
		s.TimeoutSeconds = int64(*step.TimeoutSeconds)
	}
	return s
}

// verdictPart returns the stored verdict; nil if there is none.
func (m *Machine) verdictPart() *Verdict {
	v := m.verdict()
	if v.Status == "" {
		return nil
	}
	return &Verdict{Status: string(v.Status), Reason: v.Reason, Message: v.Message, Since: v.LastTransitionTime.Time}
}

// line returns the machine's place in line; nil if it is in no line.
func (m *Machine) line() *Line {
	place, of := m.place()
	if place == 0 {
		return nil
	}
	return &Line{Place: place, Of: of, For: m.wait().Reason}
}

// Repairing returns the figures of a record.
func (r *Record) Repairing(now time.Time) *Repairing {
	p := &Repairing{
		Namespace: r.Record.Namespace, Name: r.Record.Name, Machine: r.Record.Spec.MachineRef.Name, Phase: string(r.Record.Status.Phase), Steps: r.steps(),
		Spans: r.spans(now),
	}
	if r.Record.Spec.TemplateRef != nil {
		p.Plan = r.Record.Spec.TemplateRef.Name
	}
	if r.ended() {
		p.Outcome = ladder.Success(&r.Record.Status).Reason
	}
	for i := range r.Record.Status.Attempts {
		p.Attempts = append(p.Attempts, r.tried(&r.Record.Status.Attempts[i]))
	}
	return p
}

func (r *Record) tried(attempt *v1alpha1.RemediationAttempt) Tried {
	t := Tried{
		Number: int(attempt.Number), Name: attemptName(r.Record, attempt), Step: attempt.Step, Result: string(attempt.Result), Message: attempt.Message,
		Said: "is running",
	}
	if attempt.StartTime != nil {
		t.Start = &attempt.StartTime.Time
	}
	if attempt.EndTime != nil {
		t.End, t.Said = &attempt.EndTime.Time, r.came(attempt)
	}
	if o := attempt.ObjectRef; o != nil {
		t.Object = o.Kind + "/" + o.Name
	}
	if d := attempt.Decision; d != nil {
		t.Decision = fmt.Sprintf("%s%s", d.Answer, byWhom(d))
	}
	return t
}

// steps returns the steps of the record's plan, and how far each is.
func (r *Record) steps() []Step {
	at := slices.IndexFunc(r.Record.Spec.Steps, func(s v1alpha1.RemediationStep) bool { return s.Name == r.Record.Status.Step })
	if at < 0 {
		// No step is left.
		at = len(r.Record.Spec.Steps)
	}
	settled := r.ended() || r.Record.Status.Phase == v1alpha1.RemediationProbation
	var all []Step
	for i, step := range r.Record.Spec.Steps {
		s := stepOf(step)
		s.Tried = int(ladder.Tried(r.Record, step.Name))
		tried := slices.ContainsFunc(r.Record.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool { return a.Step == step.Name })
		switch {
		case tried && (i != at || settled):
			s.State = StepDone
		case i < at:
			s.State = StepSkipped
		case settled:
			s.State = StepUnneeded
		case i == at:
			s.State = StepNow
		}
		all = append(all, s)
	}
	return all
}
