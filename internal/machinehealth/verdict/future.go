package verdict

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Future is a condition on which a verdict depends, whose transition is still to come by our clock: some clock is wrong.
type Future struct {
	// Condition names it, with its object.
	Condition string
	At        time.Time
	// Disregarded reports that it is too far in the future to be believed: the time of the first look at the condition counts instead, or none.
	Disregarded bool
}

// FutureTransitions returns the transitions in the future on which the verdict on a Machine depends.
func FutureTransitions(f Facts, now time.Time) []Future {
	var all []Future
	add := func(condition string, at time.Time) {
		if at.After(now) {
			all = append(all, Future{Condition: condition, At: at, Disregarded: at.Sub(now) > apart})
		}
	}
	if f.Node.State == NodeFound {
		for _, rule := range f.Rules.NodeConditions {
			for _, c := range f.Node.Node.Status.Conditions {
				if string(c.Type) == rule.Type && string(c.Status) == rule.Status {
					add("Node condition "+rule.Type, c.LastTransitionTime.Time)
				}
			}
		}
	}
	for _, rule := range f.Rules.MachineConditions {
		if c := meta.FindStatusCondition(f.Machine.Status.Conditions, rule.Type); c != nil && string(c.Status) == rule.Status {
			add("Machine condition "+rule.Type, c.LastTransitionTime.Time)
		}
	}
	if f.Node.State == NodeNone {
		for _, one := range f.starts() {
			add(one.name, TrueSince(one.of, one.condition))
		}
	}
	return all
}

// starting is a condition before which the startup clock of a Machine does not start.
type starting struct {
	name, condition string
	of              []metav1.Condition
}

func (f *Facts) starts() []starting {
	return []starting{
		{"Cluster condition ControlPlaneInitialized", clusterv1.ClusterControlPlaneInitializedCondition, f.Cluster.Status.Conditions},
		{"Cluster condition InfrastructureReady", clusterv1.ClusterInfrastructureReadyCondition, f.Cluster.Status.Conditions},
		{"Machine condition InfrastructureReady", clusterv1.MachineInfrastructureReadyCondition, f.Machine.Status.Conditions},
	}
}
