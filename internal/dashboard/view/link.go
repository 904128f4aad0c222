package view

import "github.com/sickbay-dev/sickbay/internal/explain"

// Link names an object that has a page.
type Link struct {
	// Section is machines, checks, clusters or records; empty if there is no page.
	Section   string
	Namespace string
	Name      string
}

var sections = map[string]string{"Machine": "machines", "MachineHealthCheck": "checks", "MachineRemediation": "records", "Cluster": "clusters"}

// Item is a line about an object.
type Item struct {
	Link
	// State is that of a machine, for its mark; empty for others.
	State State
	Text  string
}

func (l *Look) items(all []explain.Item, most int) List[Item] {
	out := List[Item]{Total: len(all)}
	for _, one := range all[:min(len(all), most)] {
		item := Item{Link: Link{sections[one.Kind], one.Namespace, one.Name}, Text: one.Text}
		if m := l.byName[key{one.Namespace, one.Name}]; m != nil && one.Kind == "Machine" {
			item.State = m.State
		}
		out.Shown = append(out.Shown, item)
	}
	return out
}

// List is the beginning of a list, and how long all of it is.
type List[T any] struct {
	Shown []T
	Total int
}

// More is how many are left out.
func (l List[T]) More() int { return l.Total - len(l.Shown) }

// Upcoming is something that happens by itself.
type Upcoming struct {
	Link
	When When
	What string
}

func (l *Look) upcoming(all []explain.Upcoming, most int) List[Upcoming] {
	out := List[Upcoming]{Total: len(all)}
	for _, one := range all[:min(len(all), most)] {
		out.Shown = append(out.Shown, Upcoming{Link: l.link(one.Namespace, one.Name), When: when(one.At, l.Facts.Now), What: one.What})
	}
	return out
}

// link finds out what a name is that something happens to.
func (l *Look) link(namespace, name string) Link {
	k := key{namespace, name}
	if l.byName[k] == nil && l.checks[k] != nil {
		return Link{"checks", namespace, name}
	}
	return Link{"machines", namespace, name}
}
