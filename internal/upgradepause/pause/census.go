package pause

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Census is what matters of the Machines of a Cluster.
type Census struct {
	versions inService
	// away are those that may be remediated, and have no Node that is Ready.
	away []away
}

// away is one of them.
type away struct {
	name   string
	labels labels.Set
}

// Count takes the census of the Machines of a Cluster.
func Count(machines []clusterv1.Machine) *Census {
	census := &Census{versions: inService{}}
	for i := range machines {
		machine := &machines[i]
		census.versions.count(machine)
		if machine.DeletionTimestamp.IsZero() && mhcspec.IsTarget(machine) &&
			!meta.IsStatusConditionTrue(machine.Status.Conditions, clusterv1.MachineNodeReadyCondition) {
			census.away = append(census.away, away{machine.Name, machine.Labels})
		}
	}
	return census
}

// NotReady names those that a selector selects and that have no Node which is Ready, sorted.
func (c *Census) NotReady(selector labels.Selector) []string {
	var names []string
	for _, machine := range c.away {
		if selector.Matches(machine.labels) {
			names = append(names, machine.name)
		}
	}
	slices.Sort(names)
	return names
}
