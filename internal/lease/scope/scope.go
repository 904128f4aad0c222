// Package scope says what a manager handles, and which lease it uses. It is pure.
package scope

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// DefaultLease is the lease of a manager that handles everything.
const DefaultLease = "sickbay-manager"

// NoLease says why nobody knows whether a manager is running if none has a lease.
const NoLease = "there is no lease " + DefaultLease

// Labels of a lease with the scope of its holder.
const (
	// Label is on the lease of each manager.
	Label = "sickbay.dev/manager"
	// NamespaceLabel is its namespace; empty means all namespaces.
	NamespaceLabel = "sickbay.dev/namespace"
	// WatchFilterLabel is its watch filter; empty means none.
	WatchFilterLabel = "sickbay.dev/watch-filter"
	// DrainLabel says whether it drains: true or false.
	DrainLabel = "sickbay.dev/drain"
	// ControllerPrefix and the name of a controller say whether that runs: true or false.
	ControllerPrefix = "controllers.sickbay.dev/"
)

// Scope is what a manager handles.
type Scope struct {
	// Controllers are the controllers that run. None means unknown: any may run.
	Controllers []string
	// Namespace is the namespace that it handles; empty means all.
	Namespace string
	// WatchFilter is the label value that Clusters must have; empty means any.
	WatchFilter string
	// Drain reports that it hands everything back, and begins nothing.
	Drain bool
}

// Of reads the labels of a lease.
func Of(labels map[string]string) Scope {
	s := Scope{Namespace: labels[NamespaceLabel], WatchFilter: labels[WatchFilterLabel], Drain: labels[DrainLabel] == "true"}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if name, ok := strings.CutPrefix(label, ControllerPrefix); ok && labels[label] == "true" {
			s.Controllers = append(s.Controllers, name)
		}
	}
	return s
}

// Looks reports whether a manager may handle objects of a namespace; empty means any namespace.
func (s Scope) Looks(namespace string) bool {
	return s.Namespace == "" || namespace == "" || s.Namespace == namespace
}

// Labels returns the labels that show the scope to others. They are always the same ones, so none is left of a former holder.
func (s Scope) Labels(all []string) map[string]string {
	labels := map[string]string{Label: "", NamespaceLabel: s.Namespace, WatchFilterLabel: s.WatchFilter, DrainLabel: strconv.FormatBool(s.Drain)}
	for _, name := range all {
		labels[ControllerPrefix+name] = strconv.FormatBool(slices.Contains(s.Controllers, name))
	}
	return labels
}

// Lease returns the name of the lease for a scope. Equal scopes have equal names, and different scopes different ones. all are the names of
// all controllers.
func (s Scope) Lease(all []string) string {
	name := DefaultLease
	if only := s.sorted(all); len(only) < len(all) {
		name += ".only-" + strings.Join(only, "-")
	}
	if s.Namespace != "" {
		name += ".in-" + s.Namespace
	}
	if s.WatchFilter != "" {
		name += ".for-" + asLabel(s.WatchFilter)
	}
	return name
}

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
	if len(s.Controllers) == 0 {
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
