package view

import (
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// PageSize is how many rows a page of a table has.
const PageSize = 50

// MachinesPage is the table of machines.
type MachinesPage struct {
	Query   Query
	Columns []Column
	Rows    []MachineRow
	Pages   Pages
	// All is how many machines there are without filters.
	All int
	// States, Clusters, Zones and Checks are the values to choose from.
	States                  []explain.State
	Clusters, Zones, Checks []string
}

// MachineRow is a machine in the table.
type MachineRow struct {
	*Machine
	// For is how long the verdict has stood, and Text is explain's headline.
	For, Text string
}

// Pages says which part of a table is shown.
type Pages struct {
	Page, Of            int
	From, To, Total     int
	Previous, Following int
}

// paged returns the part of a list that is on a page.
func paged[T any](page int, all []T) (Pages, []T) {
	p := pages(page, len(all))
	return p, all[max(0, p.From-1):p.To]
}

func pages(page, total int) Pages {
	p := Pages{Of: max(1, (total+PageSize-1)/PageSize), Total: total}
	p.Page = min(max(1, page), p.Of)
	p.From, p.To = min((p.Page-1)*PageSize+1, total), min(p.Page*PageSize, total)
	if p.Page > 1 {
		p.Previous = p.Page - 1
	}
	if p.Page < p.Of {
		p.Following = p.Page + 1
	}
	return p
}

// MachinesPage returns a page of the machines that match a query.
func (l *Look) MachinesPage(q Query) MachinesPage {
	var found []*Machine
	words := strings.Fields(strings.ToLower(q.Text))
	for i := range l.Machines {
		if q.matches(&l.Machines[i], words) {
			found = append(found, &l.Machines[i])
		}
	}
	p := MachinesPage{Query: q, Columns: q.columns(), All: len(l.Machines), States: states, Zones: l.Zones}
	p.Clusters = distinct(l.Machines, func(m *Machine) string { return m.Cluster })
	p.Checks = distinct(l.Machines, func(m *Machine) string { return m.Check })
	p.Pages, found = paged(q.Page, q.sorted(found))
	p.Query.Page, p.Rows = p.Pages.Page, l.rows(found)
	return p
}

func (l *Look) rows(machines []*Machine) []MachineRow {
	var all []MachineRow
	for _, m := range machines {
		all = append(all, MachineRow{Machine: m, For: ago(m.Since, l.Facts.Now), Text: m.of.Headline(l.Facts.Now)})
	}
	return all
}

// distinct returns the values that machines have, sorted, without empty ones.
func distinct(machines []Machine, of func(*Machine) string) []string {
	seen := map[string]bool{"": true}
	var all []string
	for i := range machines {
		if value := of(&machines[i]); !seen[value] {
			seen[value] = true
			all = append(all, value)
		}
	}
	slices.Sort(all)
	return all
}
