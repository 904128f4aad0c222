package admission

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// What an earlier version may have left, apart from a request, which is named by its kind.
const (
	leftOverMark   = "a mark for its owner"
	leftOverReboot = "a request for a power cycle"
)

// leftOverActions are the actions that the leftovers belong to.
var leftOverActions = map[string]v1alpha1.Action{leftOverMark: v1alpha1.ActionReplace, leftOverReboot: v1alpha1.ActionReboot}

// LeftOver names what an earlier version of Sickbay left on a machine: a mark for its owner, a request (nil if there is none), or
// an annotation. It is empty if there is nothing.
func LeftOver(machine *clusterv1.Machine, request *metav1.PartialObjectMetadata) string {
	mark := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	if mark != nil && mark.Status == metav1.ConditionFalse && ownwrites.MarkedWithoutRecord(machine) {
		return leftOverMark
	}
	if rebootannotation.ByEarlierVersion(machine) {
		return leftOverReboot
	}
	if request != nil && isLeftOver(request, machine) {
		return "a " + request.Kind
	}
	return ""
}

// isLeftOver reports whether a request was made for machine. It may name a record that stayed behind when the Machine was moved to
// another management cluster. A request whose record is here is not a leftover.
func isLeftOver(request *metav1.PartialObjectMetadata, machine *clusterv1.Machine) bool {
	if _, byAnnotation := request.Annotations[v1alpha1.ByAnnotation]; byAnnotation {
		// The previous version gave it the name of the Machine, and followed the annotations, whoever set them.
		return false
	}
	return request.DeletionTimestamp.IsZero() &&
		slices.ContainsFunc(request.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == machine.UID })
}

// RequestsLeft reports whether one of the requests, by the names of their machines, has to be taken over.
func RequestsLeft(f Facts, requests map[string]*metav1.PartialObjectMetadata) bool {
	return slices.ContainsFunc(f.Targets, func(target Target) bool {
		request := requests[target.Machine.Name]
		return request != nil && isLeftOver(request, target.Machine) && !f.recorded(target.Machine.UID)
	})
}
