package silence

import (
	"fmt"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Command returns the command after which a Machine is replaced; empty if no command helps. All objects are in the Machine's namespace.
func (w Why) Command(namespace, machine string) string {
	object := fmt.Sprintf("%s %s -n %s", strings.ToLower(w.Kind), w.Name, namespace)
	if w.Topology != "" {
		return fmt.Sprintf("kubectl edit cluster %s -n %s", w.Topology, namespace)
	}
	switch w.Cause {
	case PausedBySpec:
		return "kubectl patch " + object + ` --type=merge -p '{"spec":{"paused":false}}'`
	case PausedByAnnotation:
		return "kubectl annotate " + object + " " + clusterv1.PausedAnnotation + "-"
	case MakesNone:
		return "kubectl annotate " + object + " " + clusterv1.DisableMachineCreateAnnotation + "-"
	case ScaledToZero:
		return "kubectl scale " + object + " --replicas=1"
	case NoneInFlight:
		return "kubectl patch " + object + ` --type=merge -p '{"spec":{"remediation":{"maxInFlight":1}}}'`
	case OnDelete:
		return fmt.Sprintf("kubectl delete machine %s -n %s", machine, namespace)
	default:
		return ""
	}
}

// Unreplaced says why nobody would replace a Machine that is deleted; empty if its owner would.
func Unreplaced(f Facts) string {
	if why := OfDeletion(f); why.Never() {
		return "Nobody would replace the machine: " + why.Words()
	}
	return ""
}

// Words says why the owner does not replace a Machine; empty without a cause.
func (w Why) Words() string {
	name := w.Kind + " " + w.Name
	switch w.Cause {
	case PausedBySpec, PausedByAnnotation:
		return name + " is paused"
	case MakesNone:
		return name + " makes no machines (" + clusterv1.DisableMachineCreateAnnotation + ")"
	case ScaledToZero:
		return name + " is scaled to zero"
	case Deleting:
		return name + " is being deleted"
	case OnDelete:
		return name + " has the strategy OnDelete"
	case NoneInFlight:
		return name + " allows no remediation (spec.remediation.maxInFlight)"
	case KindNeverAnswers:
		return name + " never answers, as no " + w.Kind + " does"
	case KindUnknown:
		return "it is unknown whether " + name + " answers"
	default:
		return ""
	}
}
