package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// tell adds what was done for a record, what is being done, and what is left of its plan. M is its machine; nil if that is gone.
func (r *Record) tell(p *Page, m *Machine, now time.Time) {
	p.row("Done", r.done(now))
	status := &r.Record.Status
	if !r.ended() {
		p.row("Now", sentences(humanize.Upper(r.message()), m.ownerRests()))
	}
	p.row("Host", r.rebootSays())
	if r.Problem != "" {
		p.row("Unclear", humanize.Upper(r.Problem))
	}
	if left := r.left(); left != "" && !r.Facts.Machine.Deleting() && status.Phase != v1alpha1.RemediationProbation && !r.ended() {
		p.row("Left", left)
	}
	if c := ladder.Success(status); c.Reason != "" {
		p.row("Ended", fmt.Sprintf("%s, %s: %s", Clock(c.LastTransitionTime.Time, now), c.Reason, c.Message))
	}
}

// done lists the attempts that are over.
func (r *Record) done(now time.Time) string {
	var parts []string
	for i := range r.Record.Status.Attempts {
		attempt := &r.Record.Status.Attempts[i]
		if attempt.EndTime == nil {
			continue
		}
		part := fmt.Sprintf("%s %s %s", Clock(attempt.EndTime.Time, now), attemptName(r.Record, attempt), r.came(attempt))
		if d := attempt.Decision; d != nil {
			part += fmt.Sprintf(" (%s%s)", d.Answer, byWhom(d))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func byWhom(d *v1alpha1.RemediationDecision) string {
	text := ""
	if d.By != "" {
		text += " by " + d.By
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text
}

// standing says which attempt is running, or that a person keeps the host off.
func (r *Record) standing() string {
	if by := r.Record.Spec.RequestedBy; by != nil && r.Reboot != nil && r.Reboot.Status.Phase == v1alpha1.Holding {
		return "its host is kept off, as " + by.Asker() + " has asked"
	}
	if attempt := ladder.AtWork(r.Record); attempt != nil {
		return attemptName(r.Record, attempt) + " is running"
	}
	return "its request is being withdrawn"
}

// message returns the message of the record's condition Progressing. While a deletion is young, that may still be what was said before it.
func (r *Record) message() string {
	if r.deletion() && r.Record.Status.Phase == v1alpha1.RemediationActing && ladder.Progress(&r.Record.Status).Reason == v1alpha1.ReasonActing {
		return "Step " + r.Record.Status.Step + ": the machine is being deleted; waits until it is gone"
	}
	if refused := r.refused(); refused != "" {
		return refused
	}
	return cmp.Or(ladder.Progress(&r.Record.Status).Message, string(r.Record.Status.Phase))
}

// refused says who has left the machine to people by Cancel or Deny; empty if nobody has.
func (r *Record) refused() string {
	last, reason := ladder.Last(&r.Record.Status), ladder.Progress(&r.Record.Status).Reason
	if r.Record.Status.Phase != v1alpha1.RemediationHeld || last == nil || last.Decision == nil {
		return ""
	}
	text := map[string]string{v1alpha1.ReasonCancelled: "cancelled", v1alpha1.ReasonDenied: "denied"}[reason]
	if text == "" {
		return ""
	}
	if last.Decision.By != "" {
		text += " by " + last.Decision.By
	}
	if last.Decision.Reason != "" {
		text += " (" + last.Decision.Reason + ")"
	}
	return text + ". You can retry"
}

// until says when the next thing is due, as part of a headline.
func (r *Record) until(now time.Time) string {
	if at := r.Record.Status.NextTransitionTime; at != nil {
		return " until " + Clock(at.Time, now)
	}
	return ""
}

// rebootSays returns the phase and message of the current power cycle.
func (r *Record) rebootSays() string {
	if r.Reboot == nil {
		return ""
	}
	text := string(r.Reboot.Status.Phase)
	if message := conditions.Of(r.Reboot.Status.Conditions, v1alpha1.ConditionSucceeded).Message; message != "" {
		text += ": " + message
	}
	return text
}

// left names the steps after the current one.
func (r *Record) left() string {
	var names []string
	for next := r.Record.Status.Step; next != ""; {
		if next = ladder.StepAfter(r.Record.Spec.Steps, next); next == "" {
			break
		}
		names = append(names, next+r.approval(next))
	}
	return strings.Join(names, "; ")
}

func (r *Record) approval(name string) string {
	if step, _ := ladder.StepNamed(r.Record, name); step.NeedsApproval() {
		return " (needs approval)"
	}
	return ""
}

// choices adds the commands by which a person can decide about the repair.
func (r *Record) choices(p *Page) {
	answers := r.answers()
	p.Commands = append(answers, p.Commands...)
	label := "Choose"
	if len(answers) == 1 && answers[0].Verb == "cancel" {
		label = "Stop"
	}
	p.row(label, typed(answers))
}
