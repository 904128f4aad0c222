package explain

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/hangs"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/timeline"
)

// quick is how long a deletion may take before it is listed, where its owner's machines are usually gone sooner, or nobody knows.
const quick = time.Minute

// tellDeletion adds what the Machine's deletion waits for, what it holds up, and what a person can do.
func (f *Facts) tellDeletion(p *Page, m *Machine) {
	d, deleting := hangs.OfDeletion(m.Machine, f.ClusterNamed(m.Machine.Namespace, m.Machine.Spec.ClusterName))
	if !deleting {
		return
	}
	p.row("Deleting", deletionWords(d, f.Now))
	p.row("Until", untilWords(d, f.Now))
	p.row("Holds up", m.holdsUp())
	if f.late(m, f.usual()) {
		for _, way := range d.Ways() {
			p.row("You can", way)
		}
	}
}

// deletionWords says what a deletion waits for, since when, and what the Machine says about it.
func deletionWords(d hangs.Deletion, now time.Time) string {
	text := d.Does()
	if d.StageSince.IsZero() {
		text += " (the deletion began at " + Clock(d.Since, now) + ")"
	} else {
		text += ", since " + Clock(d.StageSince, now)
	}
	if quotes := d.Quotes(); quotes != "" {
		text += ": " + quotes
	}
	return text
}

// untilWords says when Cluster API gives up what a deletion waits for; empty if nobody knows, or if it never gives up such a wait.
func untilWords(d hangs.Deletion, now time.Time) string {
	switch {
	case !d.GivesUp.IsZero():
		return Clock(d.GivesUp, now) + ": then Cluster API goes on without it"
	case d.Unset != "":
		return "Never: no " + d.Unset + " is set"
	}
	return ""
}

// ClusterNamed returns a Cluster; nil if it is not among the facts.
func (f *Facts) ClusterNamed(namespace, name string) *clusterv1.Cluster {
	for i := range f.Clusters {
		if c := f.Clusters[i].Cluster; c.Namespace == namespace && c.Name == name {
			return c
		}
	}
	return nil
}

// usual returns how long it usually takes until a machine of an owner is gone, by the owner's UID: what nine of ten deletions for repairs took, at most
// what is overdue anyway.
func (f *Facts) usual() map[types.UID]time.Duration {
	took := map[types.UID][]time.Duration{}
	for _, r := range f.Records {
		if owner, gone := timeline.DeletionOf(r.Record); gone > 0 {
			took[owner] = append(took[owner], gone)
		}
	}
	usual := map[types.UID]time.Duration{}
	for owner, all := range took {
		slices.Sort(all)
		usual[owner] = min(all[(len(all)*90+99)/100-1], ladder.DeletionTime)
	}
	return usual
}

// late reports whether the deletion of a machine takes longer than is usual for its owner, and longer than a minute.
func (f *Facts) late(m *Machine, usual map[types.UID]time.Duration) bool {
	limit := quick
	if owner := metav1.GetControllerOfNoCopy(m.Machine); owner != nil {
		limit = max(limit, usual[owner.UID])
	}
	return f.Now.Sub(m.Machine.DeletionTimestamp.Time) > limit
}

// holdsUp says what the deletion of a machine keeps from others; empty if nothing.
func (m *Machine) holdsUp() string {
	c := m.Check
	if c == nil || c.Foreign || c.Problem != "" {
		return ""
	}
	if _, takes := c.Decision.InFlight[m.Machine.UID]; takes && c.Decision.Bounded() {
		text := "The only slot"
		if n := c.Decision.Slots(); n != 1 {
			text = fmt.Sprintf("One of the %d slots", n)
		}
		text += " of MachineHealthCheck " + c.MachineHealthCheck.Name
		if waiting := c.waitingFor(v1alpha1.ReasonNoSlot); len(waiting) > 0 {
			return text + ". Waiting for it: " + SomeNames(waiting)
		}
		return text
	}
	if waiting := c.waitingFor(v1alpha1.ReasonGateClosed); len(waiting) > 0 {
		return fmt.Sprintf("The gate of MachineHealthCheck %s, which counts it as not healthy. Waiting: %s", c.MachineHealthCheck.Name, SomeNames(waiting))
	}
	return ""
}

// waitingFor names the machines that wait for a reason.
func (c *Check) waitingFor(reason string) []string {
	var names []string
	for _, one := range c.Decision.Waiting {
		if one.Reason == reason {
			names = append(names, one.Machine)
		}
	}
	return names
}

// addDeleting lists a machine that is being deleted, once that takes long, or while it is under repair.
func (p *Fleet) addDeleting(f *Facts, m *Machine, item Item, usual map[types.UID]time.Duration) {
	d, _ := hangs.OfDeletion(m.Machine, f.ClusterNamed(m.Machine.Namespace, m.Machine.Spec.ClusterName))
	switch {
	case f.late(m, usual):
		item.Text = "for " + ago(d.Since, f.Now) + ". " + deletionWords(d, f.Now)
		if holds := m.holdsUp(); holds != "" {
			item.Text += ". It holds up: " + holds
		}
		p.Deleting = append(p.Deleting, item)
	case m.Record != nil && m.phase() != v1alpha1.RemediationPending:
		p.InRepair = append(p.InRepair, item.says("being deleted for "+ago(d.Since, f.Now)+". "+m.Record.message()))
	}
}

// slotsNow says how many slots are in use, by which machines, who takes a free one next, and which of these are in deletion, longest first. A page
// about one of those does not send its reader to itself.
func (f *Facts) slotsNow(c *Check, about *Machine) string {
	text := c.slots()
	if text == "" {
		return ""
	}
	text += c.slotsSoon()
	var taken []*Machine
	for _, m := range c.Machines {
		if _, takes := c.Decision.InFlight[m.Machine.UID]; takes && !m.Machine.DeletionTimestamp.IsZero() {
			taken = append(taken, m)
		}
	}
	if len(taken) == 0 {
		return text
	}
	slices.SortStableFunc(taken, func(a, b *Machine) int {
		return a.Machine.DeletionTimestamp.Compare(b.Machine.DeletionTimestamp.Time)
	})
	var names []string
	for _, m := range taken {
		names = append(names, m.Machine.Name+" for "+ago(m.Machine.DeletionTimestamp.Time, f.Now))
	}
	text += ". " + takenWords(len(taken), c.Decision.Slots()) + ": " + SomeNames(names)
	if first := taken[0]; first != about {
		text += "; see: sickbay explain " + first.Machine.Name + " -n " + first.Machine.Namespace
	}
	return text
}

// slotsSoon names the machines that are about to take a slot; empty if none is.
func (c *Check) slotsSoon() string {
	var names []string
	for _, one := range c.Decision.Admit {
		if _, has := c.Decision.InFlight[one.Machine.UID]; one.Grant > 0 && !has && !c.Decision.Config.OnlyReports() {
			names = append(names, one.Machine.Name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; " + names[0] + " is about to take one"
	}
	return "; " + SomeNames(names) + " are about to take one each"
}

// takenWords says how many of the slots machines in deletion take.
func takenWords(n, of int) string {
	switch {
	case n > 1:
		return "Machines in deletion take " + Number(n) + " of them, each for an hour at most"
	case of == 1:
		return "A machine in deletion takes the only slot, for an hour at most"
	}
	return "A machine in deletion takes one of them, for an hour at most"
}
