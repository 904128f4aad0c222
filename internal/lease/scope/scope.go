// Package scope says what a manager looks after, whether two managers would do the same work, and which lease goes with it. It is
// pure.
package scope

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// DefaultLease is the lease of a manager that looks after everything. Versions before there were others use it whatever they look
// after.
const DefaultLease = "sickbay-manager"

// Annotations of a lease that say what its holder looks after.
const (
	// ControllersAnnotation has the names of its controllers, separated by commas.
	ControllersAnnotation = "sickbay.dev/controllers"
	// NamespaceAnnotation has its namespace; it is empty if that is all of them.
	NamespaceAnnotation = "sickbay.dev/namespace"
	// WatchFilterAnnotation has its watch filter; it is empty if there is none.
	WatchFilterAnnotation = "sickbay.dev/watch-filter"
)

// Label is on the lease of each manager.
const Label = "sickbay.dev/manager"

// Scope is what a manager looks after.
type Scope struct {
	// Controllers are those that run. None means that nobody says which: any of them may.
	Controllers []string
	// Namespace is the one that is looked at; empty means all.
	Namespace string
	// WatchFilter is the value of the label that Clusters must have; empty means any.
	WatchFilter string
}

// Of reads the annotations of a lease. One without them was written by an earlier version, which may look after anything.
func Of(annotations map[string]string) Scope {
	s := Scope{Namespace: annotations[NamespaceAnnotation], WatchFilter: annotations[WatchFilterAnnotation]}
	for name := range strings.SplitSeq(annotations[ControllersAnnotation], ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.Controllers = append(s.Controllers, name)
		}
	}
	if len(s.Controllers) == 0 {
		return Scope{}
	}
	return s
}

// Annotations are those by which others know the scope.
func (s Scope) Annotations() map[string]string {
	return map[string]string{
		ControllersAnnotation: strings.Join(s.Controllers, ","), NamespaceAnnotation: s.Namespace, WatchFilterAnnotation: s.WatchFilter,
	}
}

// Known reports whether somebody says what the scope is.
func (s Scope) Known() bool { return len(s.Controllers) > 0 }

// Overlaps reports whether a manager of each scope could work on the same object in the same way. Of a scope that is not known that
// must be supposed.
func (s Scope) Overlaps(other Scope) bool {
	return common(s.Namespace, other.Namespace) && common(s.WatchFilter, other.WatchFilter) && s.sharesController(other)
}

func (s Scope) sharesController(other Scope) bool {
	if !s.Known() || !other.Known() {
		return true
	}
	return slices.ContainsFunc(s.Controllers, func(name string) bool { return slices.Contains(other.Controllers, name) })
}

// common reports whether an object can satisfy both restrictions.
func common(a, b string) bool { return a == "" || b == "" || a == b }

// Covers reports whether a manager of this scope does all that one of the other would do. Of a scope that is not known that cannot be said.
func (s Scope) Covers(other Scope) bool {
	if !s.Known() || !other.Known() {
		return false
	}
	missing := slices.ContainsFunc(other.Controllers, func(name string) bool { return !slices.Contains(s.Controllers, name) })
	return !missing && (s.Namespace == "" || s.Namespace == other.Namespace) && (s.WatchFilter == "" || s.WatchFilter == other.WatchFilter)
}

// Lease is the name of the lease for a scope: the same for the same scope, and different for different ones. All are the names of all
// controllers that there are.
func (s Scope) Lease(all []string) string {
	var name strings.Builder
	name.WriteString(DefaultLease)
	if !s.hasAll(all) {
		name.WriteString(".only-" + strings.Join(s.sorted(all), "-"))
	}
	if s.Namespace != "" {
		name.WriteString(".in-" + s.Namespace)
	}
	if s.WatchFilter != "" {
		name.WriteString(".for-" + asLabel(s.WatchFilter))
	}
	return name.String()
}

func (s Scope) hasAll(all []string) bool { return len(s.sorted(all)) == len(all) }

// sorted are the controllers in the order of all of them, each once.
func (s Scope) sorted(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(s.Controllers, name) })
}

// asLabel is the value of a label as a part of a name. What a name cannot have is replaced, and a hash tells it from others.
func asLabel(value string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(value))
	if plain == value {
		return value
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(value)) // never fails
	return plain + "." + hex.EncodeToString(h.Sum(nil))
}

// String says what is looked after.
func (s Scope) String() string {
	if !s.Known() {
		return "nobody knows what, as its version does not say"
	}
	where := " in all namespaces"
	if s.Namespace != "" {
		where = " in namespace " + s.Namespace
	}
	if s.WatchFilter != "" {
		where += fmt.Sprintf(" with watch filter %q", s.WatchFilter)
	}
	return strings.Join(s.Controllers, ", ") + where
}
