package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
)

// maxNames is how many Machines a message names; there may be thousands.
const maxNames = 10

// allowedMessage gives the numbers that were compared, and who waits for what, so that nobody has to guess why nothing happened.
func (d *Decision) allowedMessage() string {
	if d.Stopped.Reason != "" {
		return "Nothing is repaired: " + d.Stopped.Message + d.waitingMessage()
	}
	return d.gateMessage() + d.slotsMessage() + d.waitingMessage()
}

// gateMessage compares the Machines that are not healthy with triggerIf.
func (d *Decision) gateMessage() string {
	c := d.Counts
	message := fmt.Sprintf("%d of %d machines not healthy", c.Unhealthy(), c.Expected)
	if parts := c.parts(); parts != "" {
		message += " (" + parts + ")"
	}
	switch {
	case d.gate.isRange && d.Allowed:
		message += ", within the range " + d.gate.limit
	case d.gate.isRange && d.gate.minimum <= c.Unhealthy() && c.Unhealthy() <= d.gate.maximum:
		message += fmt.Sprintf(", and without the unconfirmed %d, outside of the range %s", c.Confirmed(), d.gate.limit)
	case d.gate.isRange:
		message += ", outside of the range " + d.gate.limit
	case d.gate.limit == "":
		message += ", no limit set"
	case d.Allowed:
		message += ", at most " + d.gate.limit + " allowed"
	default:
		message += ", more than the " + d.gate.limit + " allowed"
	}
	return message
}

// slotsMessage says how many slots are taken, and by whom if somebody waits for one.
func (d *Decision) slotsMessage() string {
	if d.budget == unbounded || !d.Allowed {
		return ""
	}
	message := fmt.Sprintf("; %d of at most %d repairs in flight", len(d.InFlight), d.budget)
	if len(d.Next) > 0 && len(d.InFlight) > 0 {
		message += ": " + names(slices.Collect(maps.Values(d.InFlight)))
	}
	return message
}

const (
	otherOne     = "is repaired for another MachineHealthCheck that selects it"
	otherSeveral = "are repaired for other MachineHealthChecks that select them"
)

// waits are the phrases for those who wait, by reason, for one and for several.
var waits = []struct{ reason, one, several string }{
	{v1alpha1.ReasonNoSlot, "waits for a slot", "wait for a slot"},
	{v1alpha1.ReasonGateClosed, "is held back", "are held back"},
	{ReasonSignalSuspected, "is not repaired, because the detector that found it sick may be wrong", "are not repaired, because the detectors that found them sick may be wrong"},
	{v1alpha1.ReasonOnHold, "is on hold", "are on hold"},
	{v1alpha1.ReasonPaced, "waits its turn", "wait their turn"},
	{ReasonTemplateNotFound, "waits for its remediation template", "wait for their remediation template"},
	{ReasonAwaited, "is judged by the repair of the machine that it replaces", "are judged by the repairs of the machines that they replace"},
	{ReasonOtherCheck, otherOne, otherSeveral},
	{v1alpha1.ReasonBackoff, "could not be admitted and is tried again", "could not be admitted and are tried again"},
}

// waitingMessage says how many wait for what, and who.
func (d *Decision) waitingMessage() string {
	if d.Stopped.Reason != "" {
		return waitFor(namesOf(d.Waiting, d.Stopped.Reason), "waits", "wait") + waitFor(namesOf(d.Waiting, ReasonOtherCheck), otherOne, otherSeveral)
	}
	var message strings.Builder
	for _, wait := range waits {
		message.WriteString(waitFor(namesOf(d.Waiting, wait.reason), wait.one, wait.several))
		if wait.reason == v1alpha1.ReasonPaced {
			message.WriteString(d.paceMessage())
		}
	}
	for _, block := range blocks {
		message.WriteString(waitFor(namesOf(d.Blocked, block.reason), block.one, block.several))
	}
	return message.String()
}

// paceMessage says why the first of the paced machines waits.
func (d *Decision) paceMessage() string {
	for _, one := range d.Waiting {
		if one.Reason == v1alpha1.ReasonPaced {
			return " (" + one.Why + ")"
		}
	}
	return ""
}

// namesOf returns the names of those who wait for a reason, in order.
func namesOf(waiting []Waiting, reason string) []string {
	var list []string
	for _, one := range waiting {
		if one.Reason == reason {
			list = append(list, one.Machine)
		}
	}
	return list
}

func waitFor(list []string, one, several string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; 1 %s: %s", one, list[0])
	}
	return fmt.Sprintf("; %d %s: %s", len(list), several, humanize.Some(list, maxNames))
}

// parts says what the number of unhealthy Machines consists of.
func (c Counts) parts() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(c.Sick, "sick")
	add(c.Undecided, "undecided")
	add(c.Unconfirmed, "unconfirmed")
	add(c.Deleting, "being deleted")
	return strings.Join(parts, ", ")
}

// dryRunMessage says what would be done.
func (d *Decision) dryRunMessage() string {
	if len(d.Admit) == 0 {
		return "Nothing would be repaired"
	}
	list := make([]string, len(d.Admit))
	for i, one := range d.Admit {
		list[i] = one.Machine.Name + " (" + d.StepOf(one) + ")"
	}
	return "Would repair " + names(list)
}

// StepOf returns the name of the step that an admission begins or continues with.
func (d *Decision) StepOf(one Admission) string {
	if one.Record != nil && one.Record.Status.Step != "" {
		return one.Record.Status.Step
	}
	if one.Start != nil && one.Start.Step == "" {
		return "none, a person decides"
	}
	if one.Start != nil {
		return one.Start.Step
	}
	if len(d.Steps) == 0 {
		return ""
	}
	return d.Steps[0].Name
}

// overlapMessage names the Machines that other controllers manage alone, for their MachineHealthChecks.
func overlapMessage(elsewhere map[string][]string) string {
	owners, more := slices.Sorted(maps.Keys(elsewhere)), ""
	if len(owners) > maxNames {
		owners, more = owners[:maxNames], fmt.Sprintf("; and of %d more", len(owners)-maxNames)
	}
	var parts []string
	for _, owner := range owners {
		parts = append(parts, fmt.Sprintf("%s: %s", owner, names(elsewhere[owner])))
	}
	return "Selected machines that another controller checks, for MachineHealthCheck " + strings.Join(parts, "; ") + more
}

// names joins the first few of a list, sorted.
func names(all []string) string { return humanize.Some(slices.Sorted(slices.Values(all)), maxNames) }
