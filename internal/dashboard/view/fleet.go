package view

import "github.com/sickbay-dev/sickbay/internal/explain"

// most is how many lines of a list the first page shows.
const most = 8

// FleetPage is the first page: the page of status, with drawings and the beginnings of its lists.
type FleetPage struct {
	*explain.Fleet
	Counts     []Count
	Bar        Bar
	NeedsYou   List[Item]
	Next       List[Upcoming]
	Waiting    List[Item]
	InRepair   List[Item]
	Deleting   List[Item]
	Starting   List[Item]
	Paused     List[Item]
	Unreadable List[Item]
	Heat       Heat
	Checks     List[CheckRow]
}

// FleetPage is the first page.
func (l *Look) FleetPage() FleetPage {
	f := &l.Fleet
	p := FleetPage{
		Fleet: f, Counts: counts(f.States), Bar: bar(f.States),
		NeedsYou: l.items(f.NeedsYou, 2*most), Next: l.upcoming(f.Next, 2*most), Waiting: l.items(f.Waiting, most), InRepair: l.items(f.InRepair, most),
		Deleting: l.items(f.Deleting, most), Starting: l.items(f.Starting, most), Paused: l.items(f.Paused, most), Unreadable: l.items(f.Unreadable, most), Heat: l.heat(maxHeat),
	}
	for _, row := range l.checkRows() {
		if row.Healthy == row.Machines && row.Open {
			continue
		}
		p.Checks.Total++
		if p.Checks.Total <= most {
			p.Checks.shown++
			p.Checks.Shown = append(p.Checks.Shown, row)
		}
	}
	return p
}

// NextPage is the table of what happens by itself.
type NextPage struct {
	Rows  []Upcoming
	Pages Pages
}

// NextPage returns a page of what happens by itself.
func (l *Look) NextPage(page int) NextPage {
	which, shown := paged(page, l.Fleet.Next)
	p := NextPage{Pages: which}
	for _, one := range shown {
		p.Rows = append(p.Rows, l.due(one))
	}
	return p
}
