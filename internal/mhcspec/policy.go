package mhcspec

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Values of the annotation cluster.x-k8s.io/paused on a MachineHealthCheck that have a meaning for
// Sickbay. Cluster API's own controller, and OpenShift's, honour the annotation whatever its value.
const (
	// HandedOverValue hands a MachineHealthCheck over to Sickbay: it pauses Cluster API's own
	// controller, but not Sickbay.
	HandedOverValue = "sickbay"
	// UpgradeValue is the value with which Sickbay pauses while a cluster upgrades. On a
	// MachineHealthCheck that is handed over, the marker alone pauses: the value may be kept in Git,
	// where nobody else may change it.
	UpgradeValue = "upgrade"
)

// UpgradeMarker on a MachineHealthCheck has no value, and says that an upgrade pauses it, and not
// a person. The name is from OpenShift's proposal.
const UpgradeMarker = "machine.openshift.io/paused-for-upgrade"

// PauseOnUpgradeAnnotation says whether upgrades pause. "false" on a MachineHealthCheck exempts it;
// "true" on a Cluster asks for pauses while that Cluster upgrades.
const PauseOnUpgradeAnnotation = "sickbay.dev/pause-on-upgrade"

// Adoption says which MachineHealthChecks Sickbay looks after.
type Adoption string

const (
	// AdoptAll is for installations without Cluster API's own controller.
	AdoptAll Adoption = "all"
	// AdoptHandedOver is for installations beside it.
	AdoptHandedOver Adoption = "handed-over"
)

// Policy decides which MachineHealthChecks belong to Sickbay.
type Policy struct {
	Adopt Adoption
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter
	// must have.
	WatchFilter string
	// Drain makes Sickbay hand everything back, and begin nothing: no MachineHealthCheck is its own
	// any more.
	Drain bool
}

// Manages reports whether Sickbay looks after mhc.
func (p Policy) Manages(mhc *clusterv1.MachineHealthCheck) bool {
	if p.Drain || p.WatchFilter != "" && mhc.Labels[clusterv1.WatchLabel] != p.WatchFilter {
		return false
	}
	return p.Adopt != AdoptHandedOver || HandedOver(mhc)
}

// Keeps reports whether Sickbay keeps what it has begun for mhc. If somebody pauses a handed-over
// MachineHealthCheck with another value, that pauses both Sickbay and Cluster API's own controller,
// so nobody else would continue.
func (p Policy) Keeps(mhc *clusterv1.MachineHealthCheck) bool {
	beside := !p.Drain && p.Adopt == AdoptHandedOver && HasAnnotation(mhc, clusterv1.PausedAnnotation)
	return p.Manages(mhc) || (beside && Policy{WatchFilter: p.WatchFilter}.Manages(mhc))
}

// Share returns which of the MachineHealthChecks that select one machine, the oldest first, judge it together; or the one of another controller
// that has it to itself. Cluster API's controller does not know about the others. Of two managers whose watch filters differ, the one with the
// oldest has it, so that one of them does. It reuses the slice.
func (p Policy) Share(checks []*clusterv1.MachineHealthCheck) (ours []*clusterv1.MachineHealthCheck, stranger *clusterv1.MachineHealthCheck) {
	ours = checks[:0]
	for i, mhc := range checks {
		switch {
		case p.Keeps(mhc):
			ours = append(ours, mhc)
		case i == 0 || (p.Adopt == AdoptHandedOver && !HasAnnotation(mhc, clusterv1.PausedAnnotation)):
			return nil, mhc
		}
	}
	return ours, nil
}

// Drains reports whether Sickbay hands back what it wrote on mhc and its machines. What another
// manager looks after stays.
func (p Policy) Drains(mhc *clusterv1.MachineHealthCheck) bool {
	return p.Drain && Policy{WatchFilter: p.WatchFilter}.Manages(mhc)
}

// HandedOver reports whether mhc is paused for Cluster API's own controller and handed over to
// Sickbay. It stays so while an upgrade pauses it.
func HandedOver(mhc *clusterv1.MachineHealthCheck) bool {
	return mhc.Annotations[clusterv1.PausedAnnotation] == HandedOverValue
}

// Paused returns why mhc must be left alone for now; nil if it is not paused.
func Paused(mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) []string {
	var causes []string
	if ClusterPaused(cluster) {
		causes = append(causes, "Cluster spec.paused is set to true")
	}
	switch value, ok := mhc.Annotations[clusterv1.PausedAnnotation]; {
	case (value == UpgradeValue || value == HandedOverValue) && HasAnnotation(mhc, UpgradeMarker):
		causes = append(causes, "Paused by Sickbay during an upgrade")
	case !ok || value == HandedOverValue:
	default:
		causes = append(causes, "MachineHealthCheck has the "+clusterv1.PausedAnnotation+" annotation")
	}
	return causes
}

// ClusterPaused reports whether everything that belongs to cluster is paused.
func ClusterPaused(cluster *clusterv1.Cluster) bool {
	return ptr.Deref(cluster.Spec.Paused, false)
}

// MachinePaused reports whether somebody asked that machine be left untouched.
func MachinePaused(machine *clusterv1.Machine) bool {
	return HasAnnotation(machine, clusterv1.PausedAnnotation)
}

// RemediationSkipped reports whether somebody asked that machine never be remediated.
func RemediationSkipped(machine *clusterv1.Machine) bool {
	return HasAnnotation(machine, clusterv1.MachineSkipRemediationAnnotation)
}

// IsTarget reports whether machine takes part in health checking at all.
func IsTarget(machine *clusterv1.Machine) bool {
	return !MachinePaused(machine) && !RemediationSkipped(machine)
}

// HasAnnotation reports whether an object has an annotation, whatever its value.
func HasAnnotation(obj metav1.Object, key string) bool {
	_, ok := obj.GetAnnotations()[key]
	return ok
}
