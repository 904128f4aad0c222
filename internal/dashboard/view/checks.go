package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// CheckRow is a MachineHealthCheck in a table.
type CheckRow struct {
	explain.CheckLine
	Link
	Gate  *GateDrawing
	Slots *SlotsDrawing
	// Says is the gate in words.
	Says string
	// Paused says who paused it, and Problem what is wrong with it.
	Paused, Problem string
}

func (l *Look) checkRows() []CheckRow {
	var all []CheckRow
	for i, c := range l.Facts.Checks {
		line := l.Fleet.Checks[i]
		row := CheckRow{
			CheckLine: line, Link: l.to("checks", line.Namespace, line.Name), Gate: gate(c.Gate()), Slots: slots(c.Slots()), Says: line.Gate,
			Paused: strings.Join(c.Decision.Paused, ", "), Problem: c.Problem,
		}
		all = append(all, row)
	}
	return all
}

// ChecksPage is the table of MachineHealthChecks.
type ChecksPage struct {
	Rows  []CheckRow
	Pages Pages
}

// ChecksPage returns a page of the table of MachineHealthChecks.
func (l *Look) ChecksPage(page int) ChecksPage {
	which, rows := paged(page, l.checkRows())
	return ChecksPage{Rows: rows, Pages: which}
}

// GateDrawing shows the gate as a bar of machines, with a line at the limit.
type GateDrawing struct {
	*explain.Gate
	Bar Bar
	// LimitX is the position of the line; empty if there is no limit.
	LimitX string
	// Text has the numbers in words.
	Text string
}

func gate(g *explain.Gate) *GateDrawing {
	if g == nil || g.Expected == 0 {
		return nil
	}
	d := &GateDrawing{Gate: g, Text: fmt.Sprintf("%d of %d not healthy, no limit", g.NotHealthy, g.Expected)}
	x := 0.0
	for _, part := range []struct {
		state explain.State
		n     int
	}{{explain.StateSick, g.Sick}, {explain.StateUndecided, g.Undecided}, {explain.StateDeleting, g.Deleting}, {explain.StateHealthy, g.Healthy}} {
		if part.n > 0 {
			w := float64(width*part.n) / float64(g.Expected)
			d.Bar.Parts = append(d.Bar.Parts, Part{Class(part.state), unit(x), unit(w), fmt.Sprintf("%d %s", part.n, part.state.Words())})
			x += w
		}
	}
	if g.Most != nil {
		d.LimitX = unit(min(width-2, max(2, float64(width**g.Most)/float64(g.Expected))))
		d.Text = fmt.Sprintf("%d of %d not healthy, at most %d", g.NotHealthy, g.Expected, *g.Most)
		if g.Limit != "" && g.Limit != strconv.Itoa(*g.Most) {
			d.Text += " (" + g.Limit + ")"
		}
	}
	d.Bar.Text = d.Text
	return d
}

// SlotsDrawing shows the slots as squares; those in use are filled.
type SlotsDrawing struct {
	*explain.Slots
	// Used has an entry for each slot that is drawn; nil if there are too many to draw.
	Used []bool
	Text string
}

// maxSlots is the largest number of slots that are drawn.
const maxSlots = 40

func slots(s *explain.Slots) *SlotsDrawing {
	if s == nil {
		return nil
	}
	d := &SlotsDrawing{Slots: s, Text: fmt.Sprintf("%d in use, no limit", s.InUse)}
	if s.Of == nil {
		return d
	}
	d.Text = fmt.Sprintf("%d of %d in use", s.InUse, *s.Of)
	if *s.Of <= maxSlots && s.InUse <= *s.Of {
		d.Used = make([]bool, *s.Of)
		for i := range s.InUse {
			d.Used[i] = true
		}
	}
	return d
}
