package view

import "github.com/sickbay-dev/sickbay/internal/explain"

// Link names an object that has a page.
type Link struct {
	// Section is machines, checks, clusters or records; empty if there is no page.
	Section   string
	Namespace string
	Name      string
	// In is the namespace if the page must show it: an object of the same kind and name exists in another namespace.
	In string
}

// to returns a link to an object in a section.
func (l *Look) to(section, namespace, name string) Link {
	link := Link{Section: section, Namespace: namespace, Name: name}
	if l.spread[spread{section, name}] {
		link.In = namespace
	}
	return link
}

// spread is a name in a section.
type spread struct{ section, name string }

// spreads finds the names that exist in several namespaces.
func spreads(facts *explain.Facts) map[spread]bool {
	first, all := map[spread]string{}, map[spread]bool{}
	note := func(section, namespace, name string) {
		one := spread{section, name}
		if there, known := first[one]; known && there != namespace {
			all[one] = true
		}
		first[one] = namespace
	}
	for _, m := range facts.Machines {
		note("machines", m.Machine.Namespace, m.Machine.Name)
	}
	for _, c := range facts.Checks {
		note("checks", c.MachineHealthCheck.Namespace, c.MachineHealthCheck.Name)
	}
	for _, r := range facts.Records {
		note("machines", r.Record.Namespace, r.Record.Spec.MachineRef.Name)
	}
	for i := range facts.Clusters {
		note("clusters", facts.Clusters[i].Cluster.Namespace, facts.Clusters[i].Cluster.Name)
	}
	return all
}

var sections = map[string]string{"Machine": "machines", "MachineHealthCheck": "checks", "MachineRemediation": "records", "Cluster": "clusters"}

// Item is a line about an object.
type Item struct {
	Link
	// Cluster is the object's cluster.
	Cluster string
	// State is the state of a machine, for its mark; empty for other objects.
	State explain.State
	Text  string
	// Others is how many more machines of the cluster have the same text.
	Others int
}

// Query returns the query for a machine and the others like it.
func (i Item) Query() Query {
	return Query{Namespace: i.Namespace, Cluster: i.Cluster, State: string(i.State)}
}

// items lists the texts about objects. The same text about several machines of a cluster is one item.
func (l *Look) items(all []explain.Item, most int) List[Item] {
	alike := func(one explain.Item) explain.Item {
		if one.Kind == "Machine" {
			one.Name = ""
		}
		return one
	}
	return listOf(all, most, alike, l.item, func(i *Item) { i.Others++ })
}

func (l *Look) item(one explain.Item) Item {
	item := Item{Link: l.to(sections[one.Kind], one.Namespace, one.Name), Cluster: one.Cluster, Text: one.Text}
	if m := l.byName[key{one.Namespace, one.Name}]; m != nil && one.Kind == "Machine" {
		item.State = m.State
	}
	return item
}

// List is the beginning of a list, and the length of all of it.
type List[T any] struct {
	Shown []T
	Total int

	// shown is how many of Total are in Shown, where one entry may stand for several.
	shown int
}

// listOf lists at most so many entries. Values that are alike share the first one's entry, which counts the others.
func listOf[K comparable, T, E any](all []T, most int, alike func(T) K, entry func(T) E, count func(*E)) List[E] {
	seen := map[K]int{}
	out := List[E]{Total: len(all)}
	for _, one := range all {
		if i, ok := seen[alike(one)]; ok {
			count(&out.Shown[i])
		} else if len(out.Shown) < most {
			seen[alike(one)] = len(out.Shown)
			out.Shown = append(out.Shown, entry(one))
		} else {
			continue
		}
		out.shown++
	}
	return out
}

// More returns how many are left out.
func (l List[T]) More() int { return l.Total - l.shown }

// Upcoming is something that happens by itself.
type Upcoming struct {
	Link
	When When
	What string
	// Others is how many more objects it happens to at the same time.
	Others int
}

// upcoming lists what happens. The same event for several objects at the same time is one entry.
func (l *Look) upcoming(all []explain.Upcoming, most int) List[Upcoming] {
	type alike struct {
		at              int64
		namespace, what string
	}
	return listOf(all, most, func(one explain.Upcoming) alike { return alike{one.At.Unix(), one.Namespace, one.What} }, l.due, func(u *Upcoming) { u.Others++ })
}

func (l *Look) due(one explain.Upcoming) Upcoming {
	return Upcoming{Link: l.link(one.Namespace, one.Name), When: when(one.At, l.Facts.Now), What: one.What}
}

// link returns the link to the machine or health check with this name.
func (l *Look) link(namespace, name string) Link {
	k := key{namespace, name}
	if l.byName[k] == nil && l.checks[k] != nil {
		return l.to("checks", namespace, name)
	}
	return l.to("machines", namespace, name)
}
