package pause

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Census summarizes the Machines of a Cluster.
type Census struct {
	versions inService
	// away are the Machines that may be remediated and have no Ready Node.
	away []away
}

type away struct {
	name   string
	labels labels.Set
}

// Count summarizes the Machines of a Cluster.
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

// NotReady returns the names of the selected Machines without a Ready Node, sorted.
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
