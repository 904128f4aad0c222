package mhcspec

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Values of the annotation cluster.x-k8s.io/paused on a MachineHealthCheck that mean
// something to Sickbay. Cluster API's own controller, and OpenShift's, honour the
// annotation whatever its value.
const (
	// HandedOverValue hands a MachineHealthCheck to Sickbay: it holds Cluster API's own
	// controller off, and does not pause Sickbay.
	HandedOverValue = "sickbay"
	// UpgradeValue is what Sickbay itself pauses with while a cluster upgrades.
	UpgradeValue = "upgrade"
	// HandedOverUpgradeValue is the same for one that is handed over, and stays so.
	HandedOverUpgradeValue = "sickbay-upgrade"
)

// UpgradeMarker on a MachineHealthCheck, without a value, says that it is paused for an upgrade and
// not by a person. The name is that of OpenShift's proposal.
const UpgradeMarker = "machine.openshift.io/paused-for-upgrade"

// PauseOnUpgradeAnnotation says whether there are such pauses. "false" on a MachineHealthCheck
// excepts it; "true" on a Cluster asks for pauses while that Cluster upgrades.
const PauseOnUpgradeAnnotation = "sickbay.dev/pause-on-upgrade"

// Adoption says which MachineHealthChecks Sickbay takes care of.
type Adoption string

const (
	// AdoptAll is for installations without Cluster API's own controller.
	AdoptAll Adoption = "all"
	// AdoptHandedOver is for running beside it.
	AdoptHandedOver Adoption = "handed-over"
)

// Policy says which MachineHealthChecks are Sickbay's.
type Policy struct {
	Adopt Adoption
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter
	// must have.
	WatchFilter string
}

// Manages reports whether Sickbay takes care of mhc.
func (p Policy) Manages(mhc *clusterv1.MachineHealthCheck) bool {
	if p.WatchFilter != "" && mhc.Labels[clusterv1.WatchLabel] != p.WatchFilter {
		return false
	}
	return p.Adopt != AdoptHandedOver || HandedOver(mhc)
}

// Keeps reports whether Sickbay keeps what it has begun for mhc. Once one that was handed over is
// paused with another value, that pauses Sickbay and Cluster API's own controller alike: nobody
// else goes on with it.
func (p Policy) Keeps(mhc *clusterv1.MachineHealthCheck) bool {
	beside := p.Adopt == AdoptHandedOver && hasAnnotation(mhc, clusterv1.PausedAnnotation)
	return p.Manages(mhc) || (beside && Policy{WatchFilter: p.WatchFilter}.Manages(mhc))
}

// HandedOver reports whether mhc is held off from Cluster API's own controller and
// given to Sickbay. It stays given while it is paused for an upgrade.
func HandedOver(mhc *clusterv1.MachineHealthCheck) bool {
	value := mhc.Annotations[clusterv1.PausedAnnotation]
	return value == HandedOverValue || value == HandedOverUpgradeValue
}

// Paused reports whether mhc must be left alone for now, and names the causes.
func Paused(mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) []string {
	var causes []string
	if ClusterPaused(cluster) {
		causes = append(causes, "Cluster spec.paused is set to true")
	}
	switch value, ok := mhc.Annotations[clusterv1.PausedAnnotation]; {
	case !ok || value == HandedOverValue:
	case (value == UpgradeValue || value == HandedOverUpgradeValue) && hasAnnotation(mhc, UpgradeMarker):
		causes = append(causes, "Paused by Sickbay while an upgrade is going on")
	default:
		causes = append(causes, "MachineHealthCheck has the "+clusterv1.PausedAnnotation+" annotation")
	}
	return causes
}

// ClusterPaused reports whether everything that belongs to cluster is paused.
func ClusterPaused(cluster *clusterv1.Cluster) bool {
	return cluster.Spec.Paused != nil && *cluster.Spec.Paused
}

// MachinePaused reports whether somebody asked that machine be left untouched.
func MachinePaused(machine *clusterv1.Machine) bool {
	return hasAnnotation(machine, clusterv1.PausedAnnotation)
}

// RemediationSkipped reports whether somebody asked that machine never be remediated.
func RemediationSkipped(machine *clusterv1.Machine) bool {
	return hasAnnotation(machine, clusterv1.MachineSkipRemediationAnnotation)
}

// IsTarget reports whether machine takes part in health checking at all.
func IsTarget(machine *clusterv1.Machine) bool {
	return !MachinePaused(machine) && !RemediationSkipped(machine)
}

func hasAnnotation(obj client.Object, key string) bool {
	_, ok := obj.GetAnnotations()[key]
	return ok
}
