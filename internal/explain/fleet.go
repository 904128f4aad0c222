package explain

import (
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
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
	// Starting are machines without a Node that are not sick yet, and which stage of their start they have not passed.
	Starting []Item `json:"starting,omitempty"`
	// Deleting are machines whose deletion takes longer than is usual, what it waits for, and what it holds up.
	Deleting []Item `json:"deleting,omitempty"`
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

func (i Item) says(text string) Item {
	i.Text = text
	return i
}

// Fleet returns the page about everything.
func (f *Facts) Fleet() Fleet {
	p := Fleet{
		APIVersion: APIVersion, Kind: "Fleet", At: f.Now, Manager: f.managerWords(), Clusters: len(f.Clusters), Machines: len(f.Machines),
		States: map[State]int{}, Next: f.Next(), idle: f.Manager == Manager{},
	}
	usual := f.usual()
	for _, m := range f.Machines {
		state := m.State(f.Now)
		p.States[state]++
		if item := itemOf(m); state == StateDeleting {
			p.addDeleting(f, m, item, usual)
		} else {
			p.add(item, m, state, f.Now)
		}
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
		p.addCluster(c, f.Now)
	}
	return p
}

// addCluster lists a Cluster whose Nodes cannot be read.
func (p *Fleet) addCluster(c Cluster, now time.Time) {
	if c.Unreadable != "" {
		p.Unreadable = append(p.Unreadable, Item{"Cluster", c.Cluster.Namespace, c.Cluster.Name, c.Cluster.Name, c.unreadable(now)})
	}
}

func itemOf(m *Machine) Item {
	return Item{"Machine", m.Machine.Namespace, m.Machine.Spec.ClusterName, m.Machine.Name, ""}
}

// add lists a machine in its section of the page.
func (p *Fleet) add(item Item, m *Machine, state State, now time.Time) {
	switch needed := m.needed(state); {
	case needed != "":
		p.NeedsYou = append(p.NeedsYou, item.says(needed))
	case state == StateInRepair || state == StateProbation:
		p.InRepair = append(p.InRepair, item.says(m.withStage(m.headline(state, now))))
	case m.onTheirWord():
		p.InRepair = append(p.InRepair, item.says("asked for by "+m.Record.Record.Spec.RequestedBy.Asker()+": "+m.Record.message()))
	case state == StateSick || state == StateOnHold:
		p.Waiting = append(p.Waiting, item.says(m.withStage(m.waitsFor(now))))
	case state == StatePaused && m.sick():
		p.Paused = append(p.Paused, item.says("sick, but left alone. "+humanize.Upper(m.paused())))
	case state == StateHealthy || state == StateUndecided:
		p.addHold(item, m, now)
		if state == StateUndecided {
			p.addStarting(item, m, now)
		}
	}
}

// waitsFor says what a machine waits for, and who works on it if others do, which its page says in a row of its own.
func (m *Machine) waitsFor(now time.Time) string {
	if m.leftToOthers() {
		return m.standing(now) + ": " + m.Record.message()
	}
	return m.standing(now)
}

// needed says what a machine needs a person for; empty if it needs none.
func (m *Machine) needed(state State) string {
	switch {
	case state == StateHeld:
		return sentences(m.withStage("held: "+m.Record.message()), m.stuck())
	case m.needsApproval():
		return m.withStage("approve or deny " + m.Record.Record.Status.Step + ": " + m.verdict().Message)
	case state == StateInRepair || state == StateSick:
		return m.stuck()
	}
	return ""
}

// addHold lists the hold on a machine that is not sick. Without it, nobody would see the hold before the machine falls sick.
func (p *Fleet) addHold(item Item, m *Machine, now time.Time) {
	if why, until := mhcspec.OnHold(now, m.Machine); why != "" {
		p.Paused = append(p.Paused, item.says(holdWords(why, until, now)))
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
		p.NeedsYou = append(p.NeedsYou, item.says("no decision is possible: "+c.Problem))
	case len(d.Paused) > 0:
		p.Paused = append(p.Paused, item.says(strings.Join(d.Paused, ", ")))
	case d.Stopped.Reason != "" && !d.Stopped.Until.IsZero():
		p.Paused = append(p.Paused, item.says(holdWords(d.Stopped.Message, d.Stopped.Until, now)))
	case d.Stopped.Reason != "":
		p.NeedsYou = append(p.NeedsYou, item.says("nothing is repaired: "+d.Stopped.Message))
	case admission.Suspects(c.Facts.Shares) != "":
		p.NeedsYou = append(p.NeedsYou, item.says(admission.Suspects(c.Facts.Shares)))
	case c.ignored() != "":
		p.NeedsYou = append(p.NeedsYou, item.says(c.ignored()))
	}
}

// unreadable says why the Nodes of the cluster cannot be read, and since when; empty if they can.
func (c *Cluster) unreadable(now time.Time) string {
	if c.Unreadable == "" || c.Since.IsZero() {
		return c.Unreadable
	}
	return "since " + Clock(c.Since, now) + ": " + c.Unreadable
}
