package lint

import (
	"maps"
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/humanize"
)

// statuses are all that a condition can have.
var statuses = []string{"True", "False", "Unknown"}

// subject is what conditions are about.
type subject struct {
	name, field string
	traits      map[string]conditions.Trait
}

var (
	nodes    = subject{"Node", "unhealthyNodeConditions", conditions.Nodes}
	machines = subject{"Machine", "unhealthyMachineConditions", conditions.Machines}
)

// former are the names that conditions had in v1beta1.
var former = map[string]string{"BootstrapReady": clusterv1.MachineBootstrapConfigReadyCondition}

// path returns the field that lists the conditions.
func (s subject) path() string { return fieldChecks + "." + s.field }

// other returns the subject that a condition is about if it is not about this one.
func (s subject) other() subject {
	if s.name == nodes.name {
		return machines
	}
	return nodes
}

// knows reports whether the subject has conditions of a type.
func (s subject) knows(kind string) bool { _, ok := s.traits[kind]; return ok }

// meant returns the type that was probably meant by one that is not known: one letter away, or two in a long name; empty if there is none.
func (s subject) meant(kind string) string {
	if s.knows(kind) {
		return ""
	}
	if former[kind] != "" && s.knows(former[kind]) {
		return former[kind]
	}
	all := slices.Sorted(maps.Keys(s.traits))
	if s.knows(clusterv1.MachineNodeHealthyCondition) {
		all = append(all, clusterv1.MachineHealthCheckSucceededCondition, clusterv1.MachineOwnerRemediatedCondition)
	}
	near := humanize.Nearest(kind, all)
	if near == kind {
		return ""
	}
	if len(near) < 8 && !humanize.Slip(strings.ToLower(kind), strings.ToLower(near)) {
		return ""
	}
	return near
}
