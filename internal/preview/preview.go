package preview

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// View is what the person who decides can know about a record.
type View struct {
	ladder.Facts
	// MachineUnread reports whether the person may not read the Machine, so that the facts come from the record.
	MachineUnread bool
	// Unread lists everything that the person may not read.
	Unread []string
}

// Asked is the decision that a person asks for.
type Asked struct {
	Answer v1alpha1.Answer
	// Step is for Retry; empty means the last step that was tried.
	Step string
	By   string
	// Reason is the person's reason.
	Reason string
	// Command is how the person runs Sickbay, for hints.
	Command string
}

// Proposal is what to write, and its effects.
type Proposal struct {
	Decision v1alpha1.RemediationDecision
	// Already says that somebody has decided the same, so that there is nothing to write; empty otherwise.
	Already string
	Title   string
	Lines   []Line
}

// CheckStep returns an error that lists the steps of a record if it has no step of that name.
func CheckStep(r *v1alpha1.MachineRemediation, step string) error {
	if _, ok := ladder.StepNamed(r, step); ok || step == "" {
		return nil
	}
	names := make([]string, len(r.Spec.Steps))
	for i := range r.Spec.Steps {
		names[i] = r.Spec.Steps[i].Name
	}
	return fmt.Errorf("%s has no step %q: it has %s", name(r), step, strings.Join(names, ", "))
}

// Propose makes the requested decision. It returns an error if the decision would change nothing.
func Propose(v View, asked Asked, now time.Time) (Proposal, error) {
	r := v.Record
	if already := already(r, asked); already != "" {
		return Proposal{Already: already}, nil
	}
	if err := undecidable(v, asked); err != nil {
		return Proposal{}, err
	}
	d := v1alpha1.RemediationDecision{
		Attempt: max(1, r.Status.Attempt), Answer: asked.Answer, Step: asked.Step, By: asked.By, Reason: asked.Reason,
	}
	facts := decided(v.Facts, d)
	is, will := foresee(facts, now), foreseeUnhindered(facts, now)
	step := will.step(r)
	if asked.Answer == v1alpha1.AnswerRetry {
		if named, ok := ladder.StepNamed(r, asked.Step); ok {
			// The forecast may not get there: what the last attempt asked for may go first.
			step = named
		}
		if will.status.Phase == v1alpha1.RemediationHeld {
			return Proposal{}, fmt.Errorf("step %s does nothing by itself: it waits for a person", will.status.Step)
		}
		if beginsAnyway(r, step, now) {
			return Proposal{}, fmt.Errorf("step %s of %s begins by itself, with all its attempts: %s", step.Name, name(r), Is(r))
		}
		// Write what was shown.
		d.Step = step.Name
	}
	p := Proposal{Decision: d, Title: title(r, d, step)}
	p.Lines = lines(v, d, is, will)
	return p, nil
}

// decided returns the facts with the answer in the record, as if it had just been written.
func decided(f ladder.Facts, d v1alpha1.RemediationDecision) ladder.Facts {
	f.Record = f.Record.DeepCopy()
	f.Record.Spec.Decision = &d
	f.Record.Generation++
	return f
}

// step returns the step that a forecast leads to, or the one that it takes back.
func (c forecast) step(r *v1alpha1.MachineRemediation) v1alpha1.RemediationStep {
	if c.begins.Act != ladder.None {
		return c.begins.Step
	}
	step, _ := ladder.StepNamed(r, c.status.Step)
	return step
}

func title(r *v1alpha1.MachineRemediation, d v1alpha1.RemediationDecision, step v1alpha1.RemediationStep) string {
	what, machine := "", r.Spec.MachineRef.Name
	switch d.Answer {
	case v1alpha1.AnswerApprove:
		what = "approve step " + step.Name + " on " + machine
	case v1alpha1.AnswerDeny:
		what = "deny step " + nextStep(r) + " on " + machine
	case v1alpha1.AnswerRetry:
		what = "retry " + machine + " from step " + step.Name
	case v1alpha1.AnswerCancel:
		what = "cancel the repair of " + machine
		if r.Spec.OnTheirWord() {
			what = "cancel the power cycle of " + machine
		}
	}
	return fmt.Sprintf("%s (attempt %d of %s)", humanize.Upper(what), d.Attempt, name(r))
}

func nextStep(r *v1alpha1.MachineRemediation) string {
	step, _ := ladder.NextStep(r)
	return step.Name
}

// lines describe the current state, what is taken back, what is done, when, and in whose name.
func lines(v View, d v1alpha1.RemediationDecision, is, will forecast) []Line {
	r := v.Record
	all := []Line{{"Sick", sick(r)}}
	if by := r.Spec.RequestedBy; by != nil {
		all = []Line{{"Asked by", by.String()}}
	}
	if now := ladder.Progress(&r.Status).Message; now != "" {
		all = append(all, Line{LabelNow, now})
	}
	if earlier := ladder.DecisionAbout(r); earlier != nil {
		all = append(all, Line{"Instead of", fmt.Sprintf("%s by %s", earlier.Answer, person(earlier))})
	}
	all = append(all, withdrawals(v, d, will)...)
	all = append(all, Line{"Does", does(v, d, will)}, Line{"When", when(r, is, will)})
	if d.By != "" {
		all = append(all, Line{"By", d.By})
	}
	if d.Reason != "" {
		all = append(all, Line{"Reason", d.Reason})
	}
	for _, what := range v.Unread {
		all = append(all, Line{"Not seen", "you may not read " + what})
	}
	return all
}

func sick(r *v1alpha1.MachineRemediation) string {
	finding := r.Spec.Finding
	return fmt.Sprintf("since %s: %s", humanize.Time(finding.Since.Time), cmp.Or(finding.Message, finding.Reason))
}

// withdrawals describe what is taken back, and what cannot be.
func withdrawals(v View, d v1alpha1.RemediationDecision, will forecast) []Line {
	var all []Line
	if len(will.withdrawn) > 0 {
		all = append(all, Line{"Withdraws", strings.Join(will.withdrawn, ", ")})
	} else if d.Answer == v1alpha1.AnswerCancel {
		all = append(all, Line{"Withdraws", "nothing"})
	}
	m := v.Machine
	switch {
	case m.Gone:
		all = append(all, Line{"Too late", "the machine is gone"})
	case m.Deleting():
		all = append(all, Line{"Too late", "the machine has been in deletion since " + humanize.Time(m.DeletingSince) + ", and nothing brings it back"})
	case m.Mark.Ours && m.Mark.State == ladder.MarkAnswered:
		all = append(all, Line{"Too late", owner(v.Facts) + " says that it deletes the machine, and nobody can take that back"})
	}
	return all
}

// does describes what is done to the machine.
func does(v View, d v1alpha1.RemediationDecision, will forecast) string {
	step, s := will.step(v.Record), &will.status
	switch {
	case d.Answer == v1alpha1.AnswerCancel && v.Record.Spec.OnTheirWord() && ladder.HasBegun(v.Record):
		return "The host comes on, and this request ends as Cancelled"
	case d.Answer == v1alpha1.AnswerCancel && v.Record.Spec.OnTheirWord():
		return "This request ends as Cancelled"
	case will.begins.Act != ladder.None:
		return humanize.Upper(act(v, will.begins)) + fresh(d, step)
	case s.CompletionTime != nil:
		return "The remediation ends: " + ladder.Progress(s).Message
	case s.Phase == v1alpha1.RemediationHeld:
		return "Nothing more is done until somebody answers retry; the repair ends by itself if the machine recovers or is deleted"
	case s.Phase == v1alpha1.RemediationActing && step.Action == v1alpha1.ActionWait:
		return "Waits " + span(step.Timeout()) + " for the machine to recover by itself; nothing is done to it"
	}
	return ladder.Progress(s).Message
}

// fresh says how often a retried step may be tried.
func fresh(d v1alpha1.RemediationDecision, step v1alpha1.RemediationStep) string {
	if d.Answer != v1alpha1.AnswerRetry {
		return ""
	}
	return fmt.Sprintf(". %s, %s each", humanize.Count(step.MaxAttempts(), "fresh attempt", "fresh attempts"), span(step.Timeout()))
}

// when says what is missing, if anything. The MachineHealthCheck decides who gets a slot, whether the record is in line already or will be.
func when(r *v1alpha1.MachineRemediation, is, will forecast) string {
	c, at := ladder.Progress(&is.status), is.status.NextTransitionTime
	rests := at != nil && (c.Reason == v1alpha1.ReasonBackoff || c.Reason == v1alpha1.ReasonRefused)
	switch {
	case sameEnd(is, will) && is.begins.Act != ladder.None:
		return "At once, if the gate permits it and the machine is still sick then"
	case sameEnd(is, will):
		return "At once"
	case c.Reason == v1alpha1.ReasonNoSlot:
		return "As soon as MachineHealthCheck " + r.Spec.HealthCheckRef.Name + " grants it a slot: at once, unless a limit is reached"
	case rests:
		return "Not before " + humanize.Time(at.Time) + ": " + c.Message
	}
	return "Not yet: " + c.Message
}
