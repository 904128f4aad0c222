package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Fleet is everything on one page.
type Fleet struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	At         time.Time `json:"at"`
	// Manager says which manager leads.
	Manager string `json:"manager"`
	// Clusters and Machines are how many there are, and States how many machines stand where.
	Clusters int           `json:"clusters"`
	Machines int           `json:"machines"`
	States   map[State]int `json:"states"`
	// NeedsYou is what waits for a person.
	NeedsYou []Item `json:"needsYou,omitempty"`
	// Waiting are sick machines that are not being repaired, by what holds them back.
	Waiting []Item `json:"waiting,omitempty"`
	// InRepair is what is being done.
	InRepair []Item `json:"inRepair,omitempty"`
	// Paused is what is left alone, and why.
	Paused []Item `json:"paused,omitempty"`
	// Unreadable are the clusters whose Nodes cannot be read from here.
	Unreadable []Item `json:"unreadable,omitempty"`
	// Checks are all MachineHealthChecks with their arithmetic.
	Checks []CheckLine `json:"checks,omitempty"`
	// Next is what happens by itself, if nothing else changes, the earliest first.
	Next []Upcoming `json:"next,omitempty"`

	// idle reports that no manager leads.
	idle bool
	// heldBack is how many sick machines are not under repair, while their MachineHealthChecks let no repair begin.
	heldBack int
}

// Item is one line about one object.
type Item struct {
	// Kind is Machine, MachineRemediation, for a machine that is gone, MachineHealthCheck or Cluster.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Cluster   string `json:"cluster,omitempty"`
	Name      string `json:"name"`
	Text      string `json:"text"`
}

// CheckLine is a MachineHealthCheck in a table.
type CheckLine struct {
	Namespace string `json:"namespace"`
	Cluster   string `json:"cluster"`
	Name      string `json:"name"`
	Machines  int    `json:"machines"`
	Healthy   int    `json:"healthy"`
	Sick      int    `json:"sick"`
	Undecided int    `json:"undecided"`
	Deleting  int    `json:"deleting"`
	// Gate says whether machines may be repaired, and with which numbers.
	Gate string `json:"gate"`
	// Open reports whether they may.
	Open bool `json:"open"`
	// Slots says how many repairs run at once, of how many; empty if there is no bound.
	Slots string `json:"slots,omitempty"`
}

// Fleet explains everything on one page.
func (f *Facts) Fleet() Fleet {
	p := Fleet{
		APIVersion: APIVersion, Kind: "Fleet", At: f.Now, Manager: f.managerWords(), Clusters: len(f.Clusters), Machines: len(f.Machines),
		States: map[State]int{}, Next: f.Next(), idle: f.Manager == Manager{},
	}
	for _, m := range f.Machines {
		state := m.State(f.Now)
		p.States[state]++
		p.add(m, state, f.Now)
		if m.sick() && m.Check != nil && !m.Check.Decision.Allowed && (state == StateSick || state == StateOnHold || state == StatePaused) {
			p.heldBack++
		}
	}
	for _, r := range f.Records {
		p.addGone(r)
	}
	for _, c := range f.Checks {
		p.Checks = append(p.Checks, c.line(f.Now))
		p.addCheck(c, f.Now)
	}
	for _, c := range f.Clusters {
		if c.Unreadable != "" {
			p.Unreadable = append(p.Unreadable, Item{"Cluster", c.Cluster.Namespace, c.Cluster.Name, c.Cluster.Name, c.unreadable(f.Now)})
		}
	}
	return p
}

// add lists a machine where people look for it.
func (p *Fleet) add(m *Machine, state State, now time.Time) {
	item := Item{"Machine", m.Machine.Namespace, m.Machine.Spec.ClusterName, m.Machine.Name, ""}
	switch {
	case state == StateHeld:
		item.Text = "held: " + m.Record.message()
		p.NeedsYou = append(p.NeedsYou, item)
	case m.needsApproval():
		item.Text = "approve or deny " + m.Record.Record.Status.Step + ": " + m.verdict().Message
		p.NeedsYou = append(p.NeedsYou, item)
	case state == StateInRepair || state == StateProbation:
		item.Text = m.headline(state, now)
		p.InRepair = append(p.InRepair, item)
	case state == StateSick || state == StateOnHold:
		item.Text = m.standing(now)
		p.Waiting = append(p.Waiting, item)
	case state == StatePaused && m.sick():
		item.Text = "sick and left alone. " + sentence(m.paused())
		p.Paused = append(p.Paused, item)
	}
}

func (m *Machine) needsApproval() bool {
	return m.Record != nil && m.phase() == v1alpha1.RemediationPending && reasonOf(m.Record.Record.Status) == v1alpha1.ReasonApprovalRequired
}

// addGone lists an open record whose machine is gone.
func (p *Fleet) addGone(r *Record) {
	if r.ended() || !r.Facts.Machine.Gone {
		return
	}
	item := Item{"MachineRemediation", r.Record.Namespace, r.Record.Spec.ClusterName, r.Record.Name, "its machine is gone: " + r.message()}
	if r.Record.Status.Phase == v1alpha1.RemediationHeld {
		p.NeedsYou = append(p.NeedsYou, item)
		return
	}
	p.InRepair = append(p.InRepair, item)
}

// addCheck lists a MachineHealthCheck that a person may want to know about.
func (p *Fleet) addCheck(c *Check, now time.Time) {
	mhc := c.MachineHealthCheck
	item := Item{"MachineHealthCheck", mhc.Namespace, mhc.Spec.ClusterName, mhc.Name, ""}
	d := &c.Decision
	switch {
	case c.Foreign:
	case c.Problem != "":
		item.Text = "nothing can be decided: " + c.Problem
		p.NeedsYou = append(p.NeedsYou, item)
	case len(d.Paused) > 0:
		item.Text = strings.Join(d.Paused, ", ")
		p.Paused = append(p.Paused, item)
	case d.Stopped.Reason != "" && !d.Stopped.Until.IsZero():
		item.Text = "until " + Clock(d.Stopped.Until, now) + ": " + d.Stopped.Message
		p.Paused = append(p.Paused, item)
	case d.Stopped.Reason != "":
		item.Text = "nothing is repaired: " + d.Stopped.Message
		p.NeedsYou = append(p.NeedsYou, item)
	}
}

// unreadable says why the Nodes of the cluster cannot be read, and since when; empty if they can.
func (c *Cluster) unreadable(now time.Time) string {
	if c.Unreadable == "" || c.Since.IsZero() {
		return c.Unreadable
	}
	return "since " + Clock(c.Since, now) + ": " + c.Unreadable
}

// message is what the record says of itself.
func (r *Record) message() string {
	for _, c := range r.Record.Status.Conditions {
		if c.Type == v1alpha1.ConditionProgressing {
			return c.Message
		}
	}
	return string(r.Record.Status.Phase)
}

func (c *Check) line(now time.Time) CheckLine {
	mhc, n := c.MachineHealthCheck, c.Decision.Counts
	line := CheckLine{
		Namespace: mhc.Namespace, Cluster: mhc.Spec.ClusterName, Name: mhc.Name, Machines: n.Expected, Healthy: n.Healthy,
		Sick: n.Sick, Undecided: n.Undecided + n.Unconfirmed, Deleting: n.Deleting, Open: c.Decision.Allowed, Slots: c.slots(),
	}
	line.Gate = c.gate(now)
	return line
}

// gate says whether machines may be repaired, and with which numbers, as the condition RemediationAllowed does.
func (c *Check) gate(now time.Time) string {
	switch {
	case c.Foreign:
		return "not taken care of by this Sickbay"
	case c.Problem != "":
		return c.Problem
	case len(c.Decision.Paused) > 0:
		return strings.Join(c.Decision.Paused, ", ")
	}
	return c.allowed(now).Message
}

// Summary is the fleet in one sentence.
func (p *Fleet) Summary() string {
	return fmt.Sprintf("%s, %s: %s", count(p.Clusters, "cluster"), count(p.Machines, "machine"), counted(p.States))
}

// Headline answers the first question: does somebody have to do something?
func (p *Fleet) Headline() string {
	switch {
	case p.idle && p.Machines > p.States[StateHealthy]:
		return "No manager leads: nothing is repaired"
	case len(p.NeedsYou) > 0:
		return count(len(p.NeedsYou), "thing") + " for you to decide"
	case len(p.Unreadable) > 0:
		return count(len(p.Unreadable), "cluster") + " cannot be read"
	case p.heldBack > 0:
		return count(p.heldBack, "sick machine") + " held back"
	case p.Machines == 0:
		return "There are no machines"
	case p.States[StateHealthy] == p.Machines:
		return "All machines are healthy"
	case 2*p.States[StateUndecided] > p.Machines:
		return "Most machines are undecided"
	}
	return "Nothing needs you now"
}

// counted says how many machines stand where, the healthy ones first.
func counted(states map[State]int) string {
	parts := []string{Number(states[StateHealthy]) + " healthy"}
	for _, one := range []State{
		StateSick, StateOnHold, StateHeld, StateInRepair, StateProbation, StateUndecided, StateDeleting, StatePaused, StateUnwatched,
	} {
		if n := states[one]; n > 0 {
			parts = append(parts, Number(n)+" "+stateWords[one])
		}
	}
	return strings.Join(parts, ", ")
}
