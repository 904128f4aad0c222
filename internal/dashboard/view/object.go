package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

// ObjectPage is the page about one object: explain's page, with drawings.
type ObjectPage struct {
	explain.Page
	// Since is when the verdict began, in words and for programs.
	Since, SinceISO string
	Next            List[Upcoming]
	// First is what happens next; nil if nothing is due.
	First    *Upcoming
	Gate     *GateDrawing
	Slots    *SlotsDrawing
	Timeline *Timeline
	// Ladder has the steps of the repair, or of the one that would begin.
	Ladder []Rung
	// Attempts are the attempts of the repair.
	Attempts []AttemptRow
	// Links are links to related objects.
	Links []NamedLink
	// Facts are short facts about a machine.
	Facts []explain.Row
	// Records are the repairs of a machine, latest first.
	Records []NamedLink
	// Machines are the machines of a MachineHealthCheck or a cluster that are not healthy, most urgent first. Machines that no
	// MachineHealthCheck selects are left out: their health is unknown.
	Machines List[MachineRow]
	Bar      *Bar
	// Query is the query for all of its machines.
	Query Query
}

// NamedLink is a link with a word for what it leads to.
type NamedLink struct {
	Title string
	Link
}

// Rung is a step of a plan, with its attempts.
type Rung struct {
	explain.Step
	Timeout string
	Tries   []AttemptRow
}

// AttemptRow is an attempt with its times in words.
type AttemptRow struct {
	explain.Tried
	At, Took string
}

// MachinePage returns the page of a machine; false if there is neither a machine nor a record of one.
func (l *Look) MachinePage(namespace, name string) (ObjectPage, bool) {
	if m := l.byName[key{namespace, name}]; m != nil {
		p := l.object(l.Facts.Page(m.of))
		p.machineLinks(m)
		return p, true
	}
	page, ok := l.Facts.GonePage(namespace, name)
	if !ok {
		return ObjectPage{}, false
	}
	p := l.object(page)
	p.Links = append(p.Links, NamedLink{"Repair", Link{Section: "records", Namespace: namespace, Name: page.Repair.Name}})
	return p, true
}

func (p *ObjectPage) machineLinks(m *Machine) {
	p.Since, p.SinceISO = m.Since.UTC().Format("2006-01-02 15:04:05 UTC"), m.Since.UTC().Format(time.RFC3339)
	p.Links = append(p.Links, NamedLink{"Cluster", Link{Section: "clusters", Namespace: m.Namespace, Name: m.Cluster}})
	if m.Check != "" {
		p.Links = append(p.Links, NamedLink{"Health check", Link{Section: "checks", Namespace: m.Namespace, Name: m.Check}})
	}
	for _, fact := range []explain.Row{{Label: "Node", Text: m.Node}, {Label: "Domain", Text: m.Zone}, {Label: "Owner", Text: m.Owner}} {
		if fact.Text != "" {
			p.Facts = append(p.Facts, fact)
		}
	}
	if m.of.Record != nil {
		p.Records = append(p.Records, ended(m.of.Record.Record))
	}
	for _, r := range m.of.Past {
		p.Records = append(p.Records, ended(r.Record))
	}
}

// ended returns a link to a repair, titled with its outcome or phase.
func ended(r *v1alpha1.MachineRemediation) NamedLink {
	title := cmp.Or(explain.RepairOf(r).Outcome, "just created")
	return NamedLink{title, Link{Section: "records", Namespace: r.Namespace, Name: r.Name}}
}

// RecordPage returns the page of a MachineRemediation; false if there is none.
func (l *Look) RecordPage(namespace, name string) (ObjectPage, bool) {
	page, ok := l.Facts.In("mr", namespace, name)
	if !ok {
		return ObjectPage{}, false
	}
	p := l.object(page)
	p.Links = append(p.Links, NamedLink{"Machine", Link{Section: "machines", Namespace: namespace, Name: page.Repair.Machine}})
	return p, true
}

// CheckPage returns the page of a MachineHealthCheck; false if there is none.
func (l *Look) CheckPage(namespace, name string) (ObjectPage, bool) {
	c := l.checks[key{namespace, name}]
	if c == nil {
		return ObjectPage{}, false
	}
	p := l.object(l.Facts.CheckPage(c))
	cluster := c.MachineHealthCheck.Spec.ClusterName
	p.Links = append(p.Links, NamedLink{"Cluster", Link{Section: "clusters", Namespace: namespace, Name: cluster}})
	p.Query = Query{Check: name, Cluster: cluster, Namespace: namespace}
	l.addMachines(&p, func(m *Machine) bool { return m.Namespace == namespace && m.of.Check == c })
	return p, true
}

// ClusterPage returns the page of a cluster; false if there is none.
func (l *Look) ClusterPage(namespace, name string) (ObjectPage, bool) {
	page, ok := l.Facts.In("cluster", namespace, name)
	if !ok {
		return ObjectPage{}, false
	}
	p := l.object(page)
	p.Query = Query{Cluster: name, Namespace: namespace}
	l.addMachines(&p, func(m *Machine) bool { return m.Namespace == namespace && m.Cluster == name })
	for _, c := range l.Facts.Checks {
		if mhc := c.MachineHealthCheck; mhc.Namespace == namespace && mhc.Spec.ClusterName == name {
			p.Links = append(p.Links, NamedLink{"Health check", Link{Section: "checks", Namespace: namespace, Name: mhc.Name}})
		}
	}
	return p, true
}

// addMachines adds the machines that belong to an object.
func (l *Look) addMachines(p *ObjectPage, of func(*Machine) bool) {
	n := map[explain.State]int{}
	var unhealthy []*Machine
	for i := range l.Machines {
		m := &l.Machines[i]
		if !of(m) {
			continue
		}
		n[m.State]++
		if m.State != explain.StateHealthy && m.State != explain.StateUnwatched {
			unhealthy = append(unhealthy, m)
		}
	}
	p.Bar = new(bar(n))
	p.Machines.Total = len(unhealthy)
	unhealthy = Query{}.sorted(unhealthy)
	p.Machines.Shown = l.rows(unhealthy[:min(len(unhealthy), most)])
	p.Machines.shown = len(p.Machines.Shown)
}

// object adds the drawings to a page of explain.
func (l *Look) object(page explain.Page) ObjectPage {
	page.Rows = slices.DeleteFunc(page.Rows, func(r explain.Row) bool { return elsewhere[r.Label] })
	p := ObjectPage{Page: page, Next: l.upcoming(page.Next, most), Gate: gate(page.Gate), Slots: slots(page.Slots)}
	if len(p.Next.Shown) > 0 {
		p.First = &p.Next.Shown[0]
	}
	steps := page.Plan
	if page.Repair != nil {
		steps = page.Repair.Steps
		p.Timeline = timeline(page.Repair.Spans, p.First, page.Next, l.Facts.Now)
		for _, one := range page.Repair.Attempts {
			p.Attempts = append(p.Attempts, attemptRow(one, l.Facts.Now))
		}
	}
	for _, step := range steps {
		p.Ladder = append(p.Ladder, rung(step, p.Attempts))
	}
	return p
}

// elsewhere are the rows that a page shows in another form: as links, a countdown, a figure, commands or the footer.
var elsewhere = map[string]bool{"Cluster": true, "Machine": true, "Next": true, "Unless": true, "Slots": true, "Choose": true, "Stop": true, "Manager": true}

func attemptRow(one explain.Tried, now time.Time) AttemptRow {
	row := AttemptRow{Tried: one}
	if one.Start != nil {
		row.At = explain.Clock(*one.Start, now)
		end := now
		if one.End != nil {
			end = *one.End
		}
		row.Took = Span(max(0, end.Sub(*one.Start)))
	}
	return row
}

func rung(step explain.Step, attempts []AttemptRow) Rung {
	r := Rung{Step: step}
	if step.TimeoutSeconds > 0 {
		r.Timeout = fmt.Sprintf("up to %s", Span(time.Duration(step.TimeoutSeconds)*time.Second))
	}
	for _, one := range attempts {
		if one.Step == step.Name {
			r.Tries = append(r.Tries, one)
		}
	}
	return r
}
