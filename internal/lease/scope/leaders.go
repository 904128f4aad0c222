package scope

import (
	"slices"
	"strings"
)

// Leader is a manager that leads.
type Leader struct {
	Name  string
	Scope Scope
	// Default reports whether it has the default lease, for everything.
	Default bool
}

// Looks reports whether a manager may handle objects of a namespace; empty means any namespace.
func (l Leader) Looks(namespace string) bool { return common(l.Scope.Namespace, namespace) }

// Words says what each leader handles, and which do the same work. It is empty if there is no leader, or only one with the
// default lease.
func Words(leaders []Leader) string {
	if len(leaders) == 0 || (len(leaders) == 1 && leaders[0].Default) {
		return ""
	}
	var parts []string
	for _, l := range leaders {
		parts = append(parts, l.Name+" leads ("+l.Scope.String()+")")
	}
	words := strings.Join(parts, "; ")
	if same := overlapping(leaders); len(same) > 0 {
		words += ". MANAGERS OVERLAP: " + strings.Join(same, ", ") + " work on the same objects"
	}
	return words
}

// overlapping returns the names of leaders that do the same work as another one.
func overlapping(leaders []Leader) []string {
	var names []string
	for i, l := range leaders {
		others := slices.Concat(leaders[:i], leaders[i+1:])
		if slices.ContainsFunc(others, func(o Leader) bool { return l.Scope.Overlaps(o.Scope) }) {
			names = append(names, l.Name)
		}
	}
	return names
}
