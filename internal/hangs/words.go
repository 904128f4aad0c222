package hangs

import (
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// does says what Cluster API does in a stage, for those that need no name of an object.
var does = map[Stage]string{
	Silent:           "Cluster API has said nothing about it yet",
	Failing:          "Cluster API has an error",
	Begun:            "Cluster API has begun to delete it",
	PreDrainHook:     "Cluster API waits for a pre-drain hook",
	Draining:         "Cluster API drains its Node",
	Detaching:        "Cluster API waits until volumes are detached from its Node",
	PreTerminateHook: "Cluster API waits for a pre-terminate hook",
	Completed:        "Cluster API has done its part",
	DeletingNode:     "Cluster API cannot delete its Node",
}

// Does says in a few words what the deletion waits for.
func (d Deletion) Does() string {
	switch d.Stage {
	case Paused:
		if _, paused := d.machine.Annotations[clusterv1.PausedAnnotation]; paused {
			return "Cluster API does nothing, because the Machine has the annotation " + clusterv1.PausedAnnotation
		}
		return "Cluster API does nothing, because the Cluster is paused"
	case Infrastructure:
		ref := d.machine.Spec.InfrastructureRef
		return "Cluster API waits until " + ref.Kind + " " + ref.Name + " is deleted"
	case Bootstrap:
		return "Cluster API waits until its bootstrap config is deleted"
	case Finalizing:
		return "Cluster API has done its part, but the Machine still has " + several("finalizer", d.Finalizers)
	default:
		return does[d.Stage]
	}
}

// Quotes returns what the Machine's conditions say about it, in their own words; empty if they say nothing.
func (d Deletion) Quotes() string {
	if d.Says.Type == "" {
		return ""
	}
	text := d.Says.Text
	if text == "" {
		text = d.Says.Reason
	}
	if d.Stage == Infrastructure {
		says := stageOf(d.machine, clusterv1.MachineInfrastructureReadyCondition, string(clusterv1.InfrastructureReadyV1Beta1Condition))
		if says.open() && !says.empty() && says.Text != text {
			text += "; " + says.Words()
		}
	}
	return text
}

func several(what string, names []string) string {
	if len(names) > 1 {
		what += "s"
	}
	return "the " + what + " " + strings.Join(names, ", ")
}
