package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

const (
	// squares is the largest fleet, and maxWaffle the largest cell, in which each machine is drawn as a square.
	squares, maxWaffle = 1000, 120
	// perRow is how many squares are in a row.
	perRow = 12
	// maxHeat is how many clusters the first page draws, and maxZones how many failure domains.
	maxHeat, maxZones = 24, 8
)

// Heat is the fleet by cluster and failure domain.
type Heat struct {
	Zones []string
	Rows  []HeatRow
	// More is how many clusters are left out. The worst ones are shown.
	More int
}

// HeatRow is the row of a cluster.
type HeatRow struct {
	Link
	// Alike reports whether another cluster on the page has the same name, in another namespace.
	Alike bool
	Cells []Cell
	bad   int
}

// Cell has the machines of a cluster in a failure domain.
type Cell struct {
	Namespace, Cluster, Zone string
	Total, Bad               int
	// Heat is between 0, all healthy, and 4.
	Heat int
	// Bar and Waffle are two ways to draw them; one of them is nil.
	Bar    *Bar
	Waffle *Waffle
	Text   string
}

// Query returns the query for its machines.
func (c *Cell) Query() Query {
	q := Query{Namespace: c.Namespace, Cluster: c.Cluster, Zone: c.Zone}
	if c.Zone == other {
		q.Zone = ""
	}
	return q
}

// Waffle is machines drawn as squares.
type Waffle struct {
	W, H  int
	Paths []Path
}

// Path has the squares of one color.
type Path struct{ Class, D string }

// other is the column of the failure domains that have no column of their own.
const other = "others"

func (l *Look) heat(most int) Heat {
	h := Heat{Zones: l.heatZones()}
	column := map[string]int{}
	for i, zone := range h.Zones {
		column[zone] = i
	}
	rows := map[key][]map[explain.State]int{}
	for i := range l.Machines {
		m := &l.Machines[i]
		k := key{m.Namespace, m.Cluster}
		if rows[k] == nil {
			rows[k] = make([]map[explain.State]int, len(h.Zones))
		}
		at, ok := column[m.Zone]
		if !ok {
			at = len(h.Zones) - 1
		}
		if rows[k][at] == nil {
			rows[k][at] = map[explain.State]int{}
		}
		rows[k][at][m.State]++
	}
	for k, cells := range rows {
		h.Rows = append(h.Rows, l.heatRow(k, h.Zones, cells))
	}
	slices.SortFunc(h.Rows, func(a, b HeatRow) int {
		return cmp.Or(b.bad-a.bad, strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	h.More = max(0, len(h.Rows)-most)
	h.Rows = h.Rows[:len(h.Rows)-h.More]
	named := map[string]int{}
	for i := range h.Rows {
		named[h.Rows[i].Name]++
	}
	for i := range h.Rows {
		h.Rows[i].Alike = named[h.Rows[i].Name] > 1
		for j := range h.Rows[i].Cells {
			h.Rows[i].Cells[j].draw(rows[key{h.Rows[i].Namespace, h.Rows[i].Name}][j], len(l.Machines) <= squares)
		}
	}
	return h
}

// heatZones returns the columns: the failure domains. If there are too many, or machines without one, the last column has the rest.
func (l *Look) heatZones() []string {
	zones := l.Zones
	if len(zones) >= maxZones {
		return append(slices.Clone(zones[:maxZones-1]), other)
	}
	if slices.ContainsFunc(l.Machines, func(m Machine) bool { return m.Zone == "" }) || len(zones) == 0 {
		return append(slices.Clone(zones), "")
	}
	return zones
}

func (l *Look) heatRow(k key, zones []string, cells []map[explain.State]int) HeatRow {
	row := HeatRow{Link: l.to("clusters", k.namespace, k.name)}
	for i, n := range cells {
		cell := Cell{Namespace: k.namespace, Cluster: k.name, Zone: zones[i]}
		for state, count := range n {
			cell.Total += count
			if state != explain.StateHealthy && state != explain.StateUnwatched {
				cell.Bad += count
			}
		}
		row.bad += cell.Bad
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// draw draws the machines of a cell.
func (c *Cell) draw(n map[explain.State]int, small bool) {
	if c.Total == 0 {
		return
	}
	if c.Bad > 0 {
		c.Heat = min(4, 1+c.Bad*4/c.Total)
	}
	b := bar(n)
	c.Text = b.Text
	if small && c.Total <= maxWaffle {
		c.Waffle = waffle(n, c.Total)
		return
	}
	c.Bar = &b
}

// waffle draws machines as squares, most urgent first.
func waffle(n map[explain.State]int, total int) *Waffle {
	const side, step = 9, 11
	w := &Waffle{W: min(total, perRow) * step, H: (total + perRow - 1) / perRow * step}
	at := 0
	order := slices.Clone(states)
	slices.SortFunc(order, func(a, b explain.State) int { return urgency(a) - urgency(b) })
	for _, state := range order {
		var d strings.Builder
		for range n[state] {
			fmt.Fprintf(&d, "M%d %dh%dv%dh-%dz", at%perRow*step, at/perRow*step, side, side, side)
			at++
		}
		if d.Len() > 0 {
			w.Paths = append(w.Paths, Path{Class(state), d.String()})
		}
	}
	return w
}
