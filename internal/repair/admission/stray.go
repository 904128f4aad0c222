package admission

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// A stray is a request for a machine that no record stands behind: clusterctl moves requests without their records. A new record goes on with
// it, or withdraws it.

// Stray returns the kind of a machine's stray; empty if it has none. The request is the one that has its name; nil if there is none.
func Stray(machine *clusterv1.Machine, request *metav1.PartialObjectMetadata) string {
	if request == nil || !isFor(request, machine) {
		return ""
	}
	return request.Kind
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
			all = append(all, Admission{Machine: target.Machine, Host: target.Host, Grant: 1, Stray: target.Stray, verdict: target.Verdict()})
		}
	}
	slices.SortFunc(all, func(a, b Admission) int { return cmp.Compare(a.Machine.Name, b.Machine.Name) })
	return all
}

// astray reports whether a machine has a stray. If the machine ever had a record here, that one has made the request.
func (f Facts) astray(target *Target) bool {
	return target.Stray != "" && !target.deleting() && !f.recorded(target.Machine.UID)
}

func (f Facts) recorded(machine types.UID) bool {
	return slices.ContainsFunc(f.Records, func(r *v1alpha1.MachineRemediation) bool { return r.Spec.MachineRef.UID == machine })
}
