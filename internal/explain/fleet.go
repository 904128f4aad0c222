package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/words"
)

// Fleet is the page about everything.
type Fleet struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	At         time.Time `json:"at"`
	// Manager says which manager leads.
	Manager string `json:"manager"`
	// Clusters and Machines are counts; States counts machines by state.
	Clusters int           `json:"clusters"`
	Machines int           `json:"machines"`
	States   map[State]int `json:"states"`
	// NeedsYou is what waits for a person.
	NeedsYou []Item `json:"needsYou,omitempty"`
	// Waiting are sick machines that are not being repaired, and what holds them back.
	Waiting []Item `json:"waiting,omitempty"`
	// InRepair are machines and records under repair.
	InRepair []Item `json:"inRepair,omitempty"`
	// Paused are machines and MachineHealthChecks that are left alone, and why.
	Paused []Item `json:"paused,omitempty"`
	// Unreadable are the clusters whose Nodes cannot be read from here.
	Unreadable []Item `json:"unreadable,omitempty"`
	// Checks are all MachineHealthChecks, with their numbers.
	Checks []CheckLine `json:"checks,omitempty"`
	// Next is what happens by itself if nothing else changes, earliest first.
	Next []Upcoming `json:"next,omitempty"`

	// idle reports that no manager leads.
	idle bool
	// heldBack counts the sick machines that are not under repair because their MachineHealthChecks let no repair begin.
	heldBack int
}

// Item is one line about one object.
type Item struct {
	// Kind is Machine, MachineHealthCheck, Cluster, or MachineRemediation for a machine that is gone.
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
	// Gate says whether machines may be repaired, and gives the numbers.
	Gate string `json:"gate"`
	// Open reports whether machines may be repaired.
	Open bool `json:"open"`
	// Slots says how many slots are in use, of how many; empty if there is no limit.
	Slots string `json:"slots,omitempty"`
}

// Fleet returns the page about everything.
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

// add lists a machine in its section of the page.
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
		item.Text = "sick, but left alone. " + words.Upper(m.paused())
		p.Paused = append(p.Paused, item)
	case state == StateHealthy || state == StateUndecided:
		p.addHold(item, m, now)
	}
}

// addHold lists the hold on a machine that is not sick. Without it, nobody would see the hold before the machine falls sick.
func (p *Fleet) addHold(item Item, m *Machine, now time.Time) {
	if why, until := mhcspec.OnHold(now, m.Machine); why != "" {
		item.Text = holdWords(why, until, now)
		p.Paused = append(p.Paused, item)
	}
}

// holdWords begins with the end of a hold, if it has one.
func holdWords(why string, until, now time.Time) string {
	if until.IsZero() {
		return why
	}
	return "until " + Clock(until, now) + ": " + why
}

func (m *Machine) needsApproval() bool {
	return m.Record != nil && m.phase() == v1alpha1.RemediationPending && ladder.Progress(&m.Record.Record.Status).Reason == v1alpha1.ReasonApprovalRequired
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
		item.Text = "no decision is possible: " + c.Problem
		p.NeedsYou = append(p.NeedsYou, item)
	case len(d.Paused) > 0:
		item.Text = strings.Join(d.Paused, ", ")
		p.Paused = append(p.Paused, item)
	case d.Stopped.Reason != "" && !d.Stopped.Until.IsZero():
		item.Text = holdWords(d.Stopped.Message, d.Stopped.Until, now)
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

// message returns the message of the record's condition Progressing.
func (r *Record) message() string {
	return cmp.Or(ladder.Progress(&r.Record.Status).Message, string(r.Record.Status.Phase))
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

// gate says whether machines may be repaired, and gives the numbers, as the condition RemediationAllowed does.
func (c *Check) gate(now time.Time) string {
	switch {
	case c.Foreign:
		return "not managed by this Sickbay"
	case c.Problem != "":
		return c.Problem
	case len(c.Decision.Paused) > 0:
		return strings.Join(c.Decision.Paused, ", ")
	}
	return c.allowed(now).Message
}

// Summary describes the fleet in one sentence.
func (p *Fleet) Summary() string {
	return fmt.Sprintf("%s, %s: %s", Count(p.Clusters, "cluster"), Count(p.Machines, "machine"), counted(p.States))
}

// Headline answers the first question: is there something for a person to do?
func (p *Fleet) Headline() string {
	switch {
	case p.idle && p.Machines > p.States[StateHealthy]:
		return "No manager leads: nothing is repaired"
	case len(p.NeedsYou) > 0:
		return Count(len(p.NeedsYou), "thing") + " for you to decide"
	case len(p.Unreadable) > 0:
		return Count(len(p.Unreadable), "cluster") + " cannot be read"
	case p.heldBack > 0:
		return Count(p.heldBack, "sick machine") + " held back"
	case p.Machines == 0:
		return "There are no machines"
	case p.States[StateHealthy] == p.Machines:
		return "All machines are healthy"
	case 2*p.States[StateUndecided] > p.Machines:
		return "Most machines are undecided"
	}
	return "Nothing needs you now"
}

// counted says how many machines are in each state, healthy ones first.
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
