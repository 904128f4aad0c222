package admission

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// A stray is something that was asked for a machine and that no record stands behind: a power cycle without a record has marked the
// machine for its owner, or clusterctl has moved a request without its record. A new record goes on with it, or withdraws it.

// strayMark names a mark that is a stray. A request is named by its kind.
const strayMark = "a mark for its owner"

// Stray names the stray of a machine; empty if it has none. The request is the one that has its name; nil if there is none.
func Stray(machine *clusterv1.Machine, request *metav1.PartialObjectMetadata) string {
	if mark := markOf(machine); mark != nil && mark.Status == metav1.ConditionFalse && ownwrites.MarkedWithoutRecord(machine) {
		return strayMark
	}
	if request != nil && isFor(request, machine) {
		return "a " + request.Kind
	}
	return ""
}

func markOf(machine *clusterv1.Machine) *metav1.Condition {
	return meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
}

// isFor reports whether a request was made for a machine, and still stands.
func isFor(request *metav1.PartialObjectMetadata, machine *clusterv1.Machine) bool {
	return request.DeletionTimestamp.IsZero() &&
		slices.ContainsFunc(request.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == machine.UID })
}

// StraysAmong reports whether one of the requests, by the names of their machines, is a stray.
func StraysAmong(f Facts, requests map[string]*metav1.PartialObjectMetadata) bool {
	return slices.ContainsFunc(f.Targets, func(target Target) bool {
		request := requests[target.Machine.Name]
		return request != nil && isFor(request, target.Machine) && !f.recorded(target.Machine.UID)
	})
}

// strays returns the machines that get a record because of a stray, whatever their health.
func (f Facts) strays() []Admission {
	var all []Admission
	for i := range f.Targets {
		if target := &f.Targets[i]; f.astray(target) {
			all = append(all, Admission{Machine: target.Machine, Host: target.Host, Grant: 1, Stray: target.Stray})
		}
	}
	slices.SortFunc(all, func(a, b Admission) int { return cmp.Compare(a.Machine.Name, b.Machine.Name) })
	return all
}

// astray reports whether a machine has a stray. A request is none if the machine ever had a record here: that one has made it. A mark is
// one if all of the machine's records had ended when it was set.
func (f Facts) astray(target *Target) bool {
	switch {
	case target.Stray == "" || target.deleting():
		return false
	case target.Stray != strayMark:
		return !f.recorded(target.Machine.UID)
	}
	mark := markOf(target.Machine)
	return mark != nil && !slices.ContainsFunc(f.Records, func(r *v1alpha1.MachineRemediation) bool {
		ended := r.Status.CompletionTime
		return r.Spec.MachineRef.UID == target.Machine.UID && (ended == nil || !ended.Before(&mark.LastTransitionTime))
	})
}

func (f Facts) recorded(machine types.UID) bool {
	return slices.ContainsFunc(f.Records, func(r *v1alpha1.MachineRemediation) bool { return r.Spec.MachineRef.UID == machine })
}
