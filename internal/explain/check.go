package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sickbay-dev/sickbay/internal/explain/selects"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// CheckPage explains a MachineHealthCheck.
func (f *Facts) CheckPage(c *Check) Page {
	mhc := c.MachineHealthCheck
	p := Page{APIVersion: APIVersion, Kind: "MachineHealthCheck", Namespace: mhc.Namespace, Name: mhc.Name, Cluster: mhc.Spec.ClusterName, At: f.Now, Headline: c.headline()}
	for _, m := range c.Machines {
		p.Next = append(p.Next, m.Next(f.Now)...)
	}
	p.Next = append(p.Next, c.Next(f.Now)...)
	sortByTime(p.Next)
	p.row("Cluster", mhc.Spec.ClusterName)
	if c.Nothing == "" || len(c.Decision.Paused) > 0 {
		p.row("Gate", humanize.Upper(c.gate(f.Now)))
	}
	p.row("Opens", c.opens())
	p.row("Signals", admission.Suspects(c.Facts.Shares))
	p.row("Slots", f.slotsNow(c, nil))
	p.row("Plan", c.plan())
	p.row("Would", c.would())
	c.waiting(&p)
	p.row("Overlap", c.overlap())
	p.row("Pattern", c.pattern())
	f.tellNext(&p)
	p.Gate, p.Slots, p.Plan, p.Commands = c.Gate(), c.Slots(), c.Plan(), holds("mhc", mhc, f.Now)
	if opens := c.opens(); opens != "" {
		p.Otherwise = []string{gateOpens + opens}
	}
	return p
}

func (c *Check) headline() string {
	n, d := c.Decision.Counts, &c.Decision
	numbers := fmt.Sprintf("%s: %d healthy, %d sick, %d undecided", Count(n.Expected, "machine"), n.Healthy, n.Sick, n.Undecided+n.Unconfirmed)
	if n.Deleting > 0 {
		numbers += fmt.Sprintf(", %d being deleted", n.Deleting)
	}
	switch {
	case c.Foreign:
		return "NOT MANAGED by this Sickbay"
	case c.Problem != "":
		return "UNCLEAR: " + c.Problem
	case len(d.Paused) > 0:
		return "PAUSED: " + strings.Join(d.Paused, ", ")
	case d.Stopped.Reason == admission.ReasonOnHold:
		return "ON HOLD; " + numbers
	case d.Stopped.Reason != "":
		return "STOPPED: " + d.Stopped.Message
	case c.Nothing != "":
		what, why, _ := strings.Cut(c.Nothing, ":")
		return strings.ToUpper(what) + ":" + why
	case !d.Allowed && n.Sick > 0:
		return "CLOSED, no repairs begin; " + numbers
	case !d.Allowed:
		return "CLOSED, nothing is sick; " + numbers
	case d.Config.OnlyReports():
		return "OBSERVING, " + onlyReports(c) + "; " + numbers
	}
	return "OPEN; " + numbers
}

// maxRows is how many rows a page has for one label.
const maxRows = 10

// waiting names the machines that are due but not admitted, unless the gate's row already says why.
func (c *Check) waiting(p *Page) {
	if c.Decision.Stopped.Reason != "" {
		return
	}
	for i, one := range c.Decision.Waiting {
		if i == maxRows {
			p.row("Waiting", fmt.Sprintf("and %d more", len(c.Decision.Waiting)-maxRows))
			return
		}
		p.row("Waiting", one.Machine+", "+ReasonWords(one.Reason))
	}
}

// plan names the steps of the next repair.
func (c *Check) plan() string {
	if c.Problem != "" {
		return ""
	}
	var names []string
	for _, step := range admission.Steps(c.Facts, c.Decision.Config) {
		name := step.Name
		if step.MaxAttempts() > 1 {
			name += fmt.Sprintf(", up to %d times", step.MaxAttempts())
		}
		if step.NeedsApproval() {
			name += " (needs approval)"
		}
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

// would names the machines that a MachineHealthCheck in dry-run, or whose plan only observes, would have repaired.
func (c *Check) would() string {
	if !c.Decision.Config.OnlyReports() {
		return ""
	}
	var parts []string
	for _, one := range c.Decision.Admit {
		parts = append(parts, one.Machine.Name+" ("+c.Decision.StepOf(one)+")")
	}
	if len(parts) == 0 {
		return "Nothing"
	}
	return strings.Join(parts, ", ")
}

// shared returns what a MachineHealthCheck knows about a machine that others select, too; nil if none does.
func (c *Check) shared(m *Machine) *admission.Shared {
	if len(m.Checks) < 2 {
		return nil
	}
	targets := c.Facts.Targets
	i, found := slices.BinarySearchFunc(targets, m.Machine.Name, func(t admission.Target, name string) int { return cmp.Compare(t.Machine.Name, name) })
	if !found {
		return nil
	}
	return targets[i].Shared
}

// beside says which other MachineHealthChecks select the machine, and why those that find it sick do not repair it; empty if there are none.
func (m *Machine) beside(now time.Time) string {
	var said []string
	for _, c := range m.Checks {
		if c == m.Check {
			continue
		}
		one, why := "MachineHealthCheck "+c.MachineHealthCheck.Name+" selects it, too", admission.PassedOver(c.Facts, now)
		if why == "" && !c.Decision.Allowed {
			why = "its gate is closed"
		}
		switch {
		case !c.finds(m):
		case why != "":
			one += ", and is passed over: " + why
		case m.Record != nil && ladder.HasBegun(m.Record.Record):
			one += ", and leaves the repair to " + m.Check.MachineHealthCheck.Name + ", which has begun it"
		default:
			one += ", and leaves the repair to " + m.Check.MachineHealthCheck.Name
		}
		said = append(said, one)
	}
	return strings.Join(said, ". ")
}

// overlap names the machines that other controllers manage alone, for their MachineHealthChecks.
func (c *Check) overlap() string {
	var parts []string
	for owner, machines := range c.Facts.Elsewhere {
		parts = append(parts, fmt.Sprintf("%s has %s", owner, SomeNames(slices.Sorted(slices.Values(machines)))))
	}
	slices.Sort(parts)
	return SomeNames(parts)
}

// ignored says that a MachineHealthCheck does not judge some of the machines that it selects, and what to do about it; empty if it judges all.
func (c *Check) ignored() string {
	if len(c.Facts.Elsewhere) == 0 {
		return ""
	}
	return "it does not judge all that it selects, because MachineHealthChecks of another controller select that, too: " + c.overlap() +
		". Hand those over, or change a selector"
}

// ignoredBy says which other MachineHealthChecks select the machine, and do not judge it; empty if none does.
func (f *Facts) ignoredBy(m *Machine) string {
	if m.Check == nil {
		return ""
	}
	var names []string
	for _, c := range f.Checks {
		same := c.MachineHealthCheck.Namespace == m.Machine.Namespace && c.MachineHealthCheck.Spec.ClusterName == m.Machine.Spec.ClusterName
		if same && !c.Foreign && slices.Contains(c.Facts.Elsewhere[m.Check.MachineHealthCheck.Name], m.Machine.Name) {
			names = append(names, c.MachineHealthCheck.Name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("MachineHealthCheck %s selects it, too, but leaves it to the controller of %s", names[0], m.Check.MachineHealthCheck.Name)
	}
	return fmt.Sprintf("MachineHealthChecks %s select it, too, but leave it to the controller of %s", SomeNames(names), m.Check.MachineHealthCheck.Name)
}

// SelectsNothing says why no machine belongs to a MachineHealthCheck; empty if one does.
func (c *Check) SelectsNothing(machines []*Machine) string {
	mhc := c.MachineHealthCheck
	selector, err := metav1.LabelSelectorAsSelector(&mhc.Spec.Selector)
	if err != nil || c.Problem != "" || c.Foreign || c.Decision.Counts.Expected > 0 || !mhc.DeletionTimestamp.IsZero() {
		return ""
	}
	var all []map[string]string
	for _, m := range machines {
		if m.Machine.Namespace == mhc.Namespace && m.Machine.Spec.ClusterName == mhc.Spec.ClusterName {
			all = append(all, m.Machine.Labels)
		}
	}
	switch {
	case len(all) == 0:
		return "selects no machine: Cluster " + mhc.Spec.ClusterName + " has none"
	case len(c.Facts.Elsewhere) > 0:
		return "watches no machine: another controller has what it selects, or it is left alone"
	case slices.ContainsFunc(all, func(set map[string]string) bool { return selector.Matches(labels.Set(set)) }):
		return "watches no machine: what it selects is left alone, by the annotation cluster.x-k8s.io/paused or cluster.x-k8s.io/skip-remediation"
	}
	return "selects no machine: " + selects.Nothing(&mhc.Spec.Selector, all)
}
