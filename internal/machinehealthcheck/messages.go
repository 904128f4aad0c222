package machinehealthcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxNames is how many Machines a message names; there may be thousands.
const maxNames = 10

// allowedMessage prints the very numbers that were compared, so that nobody has
// to guess why nothing happened.
func (d *Decision) allowedMessage() string {
	if len(d.Problems) > 0 {
		return "Nothing is remediated: " + strings.Join(d.Problems, "; ")
	}
	c := d.Counts
	message := fmt.Sprintf("%d of %d machines not healthy", c.Unhealthy(), c.Expected)
	if parts := c.parts(); parts != "" {
		message += " (" + parts + ")"
	}
	switch {
	case d.trigger.isRange && d.Allowed:
		message += ", within the range " + d.trigger.limit
	case d.trigger.isRange:
		message += ", outside of the range " + d.trigger.limit
	case d.trigger.limit == "":
		message += ", no limit set"
	case d.Allowed:
		message += ", at most " + d.trigger.limit + " allowed"
	default:
		message += ", more than the " + d.trigger.limit + " allowed"
	}
	if d.budget == unbounded || !d.Allowed {
		return message
	}
	return message + fmt.Sprintf("; %d of at most %d remediations in flight", c.InFlight+d.unseen, d.budget)
}

// parts says what the unhealthy Machines are.
func (c Counts) parts() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(c.Sick, "sick")
	add(c.Undecided, "undecided")
	add(c.Deleting, "being deleted")
	return strings.Join(parts, ", ")
}

// dryRunMessage says what would be done.
func (d *Decision) dryRunMessage() string {
	var would []string
	if len(d.Remedies) > 0 {
		would = append(would, "would remediate "+names(described(d.Remedies)))
	}
	if len(d.Withdraw) > 0 {
		would = append(would, "would withdraw the requests of "+names(machineNames(d.Withdraw)))
	}
	if len(would) == 0 {
		return "Nothing would be remediated"
	}
	return capital(strings.Join(would, "; "))
}

func described(due []Remedy) []string {
	list := make([]string, len(due))
	for i, one := range due {
		list[i] = fmt.Sprintf("%s (%s)", one.Target.Machine.Name, one.Kind)
	}
	return list
}

func machineNames(all []Target) []string {
	list := make([]string, len(all))
	for i, target := range all {
		list[i] = target.Machine.Name
	}
	return list
}

// overlapMessage names the Machines that belong to older MachineHealthChecks.
func overlapMessage(elsewhere map[string][]string) string {
	var parts []string
	for _, owner := range slices.Sorted(maps.Keys(elsewhere)) {
		parts = append(parts, fmt.Sprintf("%s: %s", owner, names(elsewhere[owner])))
	}
	return "Selected machines that belong to an older MachineHealthCheck: " + strings.Join(parts, "; ")
}

// names joins the first few of a list, sorted.
func names(all []string) string {
	sorted := slices.Sorted(slices.Values(all))
	if len(sorted) <= maxNames {
		return strings.Join(sorted, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(sorted[:maxNames], ", "), len(sorted)-maxNames)
}
