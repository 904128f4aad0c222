package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// Machine is a machine in a table.
type Machine struct {
	Namespace, Name, Cluster, Zone, Node, Owner, Check string

	State explain.State
	// Since is when the verdict began.
	Since time.Time

	// Link leads to its page.
	Link Link

	of *explain.Machine
	// text is the text to search.
	text string
}

func machine(m *explain.Machine, now time.Time) Machine {
	obj := m.Machine
	one := Machine{
		Namespace: obj.Namespace, Name: obj.Name, Cluster: obj.Spec.ClusterName, Zone: obj.Spec.FailureDomain, Node: obj.Status.NodeRef.Name,
		State: m.State(now), Since: m.Since(), of: m,
	}
	if owner := metav1.GetControllerOf(obj); owner != nil {
		one.Owner = owner.Name
	}
	if m.Check != nil {
		one.Check = m.Check.MachineHealthCheck.Name
	}
	one.text = strings.ToLower(strings.Join([]string{one.Namespace + "/" + one.Name, one.Node, one.Cluster, one.Zone, one.Owner, one.Check}, "\n"))
	return one
}

// Query is a person's query for machines.
type Query struct {
	Text, State, Cluster, Zone, Check, Namespace string

	// Sort is a column, with a dash before it for descending order; empty means most urgent first.
	Sort string
	// Page counts from 1.
	Page int
}

// At returns the same query for another page.
func (q Query) At(page int) Query {
	q.Page = page
	return q
}

// By returns the same query sorted by a column, or in the other direction if it is already sorted by that.
func (q Query) By(column string) Query {
	if q.Sort == column {
		column = "-" + column
	}
	q.Sort, q.Page = column, 1
	return q
}

// Without returns the query without filters.
func (q Query) Without() Query { return Query{Sort: q.Sort} }

// Filters reports whether the query leaves machines out.
func (q Query) Filters() bool { return q.Text+q.State+q.Cluster+q.Zone+q.Check+q.Namespace != "" }

func (q Query) matches(m *Machine, words []string) bool {
	for _, filter := range [][2]string{
		{q.State, string(m.State)}, {q.Cluster, m.Cluster}, {q.Zone, m.Zone}, {q.Check, m.Check}, {q.Namespace, m.Namespace},
	} {
		if filter[0] != "" && filter[0] != filter[1] {
			return false
		}
	}
	return hasAll(m.text, words)
}

// Column is a column by which a table can be sorted.
type Column struct {
	Key, Title string
	// Sorted is the value of aria-sort; empty if the table is not sorted by it.
	Sorted string
}

var machineColumns = []struct {
	Column
	less func(a, b *Machine) int
}{
	{Column{Key: "state", Title: "State"}, func(a, b *Machine) int { return cmp.Compare(urgency(a.State), urgency(b.State)) }},
	{Column{Key: "name", Title: "Machine"}, func(*Machine, *Machine) int { return 0 }},
	{Column{Key: "cluster", Title: "Cluster"}, func(a, b *Machine) int { return strings.Compare(a.Cluster, b.Cluster) }},
	{Column{Key: "zone", Title: "Domain"}, func(a, b *Machine) int { return strings.Compare(a.Zone, b.Zone) }},
	{Column{Key: "check", Title: "Check"}, func(a, b *Machine) int { return strings.Compare(a.Check, b.Check) }},
	{Column{Key: "since", Title: "For"}, func(a, b *Machine) int { return b.Since.Compare(a.Since) }},
}

// sorted sorts machines by a column.
func (q Query) sorted(all []*Machine) []*Machine {
	by, down := strings.CutPrefix(cmp.Or(q.Sort, "state"), "-")
	sign := 1
	if down {
		sign = -1
	}
	for _, column := range machineColumns {
		if column.Key != by {
			continue
		}
		slices.SortStableFunc(all, func(a, b *Machine) int {
			return sign * cmp.Or(column.less(a, b), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		})
	}
	return all
}

// columns returns the columns of the table; one of them is marked as sorted.
func (q Query) columns() []Column {
	by, down := strings.CutPrefix(cmp.Or(q.Sort, "state"), "-")
	var all []Column
	for _, column := range machineColumns {
		if column.Key == by {
			column.Sorted = "ascending"
			if down {
				column.Sorted = "descending"
			}
		}
		all = append(all, column.Column)
	}
	return all
}
