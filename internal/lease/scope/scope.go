// Package scope says what a manager handles, whether two managers would do the same work, and which lease a manager uses. It is pure.
package scope

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// DefaultLease is the lease of a manager that handles everything.
const DefaultLease = "sickbay-manager"

// NoLease says why nobody knows whether a manager is running if none has a lease.
const NoLease = "there is no lease " + DefaultLease + "; it may run without leader election"

// Annotations of a lease with the scope of its holder.
const (
	// ControllersAnnotation lists its controllers, separated by commas.
	ControllersAnnotation = "sickbay.dev/controllers"
	// NamespaceAnnotation is its namespace; empty means all namespaces.
	NamespaceAnnotation = "sickbay.dev/namespace"
	// WatchFilterAnnotation is its watch filter; empty means none.
	WatchFilterAnnotation = "sickbay.dev/watch-filter"
)

// Label is on the lease of each manager.
const Label = "sickbay.dev/manager"

// Scope is what a manager handles.
type Scope struct {
	// Controllers are the controllers that run. None means unknown: any may run.
	Controllers []string
	// Namespace is the namespace that it handles; empty means all.
	Namespace string
	// WatchFilter is the label value that Clusters must have; empty means any.
	WatchFilter string
}

// Of reads the annotations of a lease. The holder of a lease without them may handle anything.
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

// Annotations returns the annotations that show the scope to others.
func (s Scope) Annotations() map[string]string {
	return map[string]string{
		ControllersAnnotation: strings.Join(s.Controllers, ","), NamespaceAnnotation: s.Namespace, WatchFilterAnnotation: s.WatchFilter,
	}
}

// Known reports whether the scope is known.
func (s Scope) Known() bool { return len(s.Controllers) > 0 }

// Overlaps reports whether managers of the two scopes could do the same work on the same object. If a scope is unknown, it assumes so.
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

// Covers reports whether a manager of this scope does everything that one of the other scope would do. If a scope is unknown, it is false.
func (s Scope) Covers(other Scope) bool {
	if !s.Known() || !other.Known() {
		return false
	}
	missing := slices.ContainsFunc(other.Controllers, func(name string) bool { return !slices.Contains(s.Controllers, name) })
	return !missing && (s.Namespace == "" || s.Namespace == other.Namespace) && (s.WatchFilter == "" || s.WatchFilter == other.WatchFilter)
}

// Lease returns the name of the lease for a scope. Equal scopes have equal names, and different scopes different ones. all are the names of
// all controllers.
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

// sorted returns the controllers in the order of all, without duplicates.
func (s Scope) sorted(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(s.Controllers, name) })
}

// asLabel makes a label value part of a name. It replaces invalid characters, and adds a hash to keep names distinct.
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

// String describes the scope.
func (s Scope) String() string {
	if !s.Known() {
		return "nobody knows what, as its lease does not say"
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
