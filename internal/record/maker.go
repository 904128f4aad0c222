package record

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Maker is who makes the next machine of a cluster in the place of another: the UID of a controller, or the name of a MachineDeployment.
type Maker string

// MakerOf returns who makes the next machine in the place of that of a record, whose owner is known. It is the MachineDeployment if the record names it:
// the next machine of one with a newer revision comes from another MachineSet.
func MakerOf(r *v1alpha1.MachineRemediation, owner types.UID) Maker {
	if name := r.Labels[clusterv1.MachineDeploymentNameLabel]; name != "" {
		return ofDeployment(name)
	}
	return Maker(owner)
}

// MakersOf returns who may have made a machine: its controller and, if that is a MachineSet, its MachineDeployment.
func MakersOf(machine *clusterv1.Machine) []Maker {
	owner := metav1.GetControllerOfNoCopy(machine)
	if owner == nil {
		return nil
	}
	if name := DeploymentOf(machine); name != "" {
		return []Maker{Maker(owner.UID), ofDeployment(name)}
	}
	return []Maker{Maker(owner.UID)}
}

// DeploymentOf returns the name of the MachineDeployment that a machine belongs to; empty if it belongs to none.
func DeploymentOf(machine *clusterv1.Machine) string {
	if owner := metav1.GetControllerOfNoCopy(machine); owner == nil || owner.Kind != "MachineSet" {
		return ""
	}
	return machine.Labels[clusterv1.MachineDeploymentNameLabel]
}

// Made reports whether a machine may be the next one of a maker.
func (m Maker) Made(machine *clusterv1.Machine) bool {
	owner := metav1.GetControllerOfNoCopy(machine)
	if owner == nil {
		return false
	}
	if Maker(owner.UID) == m {
		return true
	}
	name := DeploymentOf(machine)
	return name != "" && ofDeployment(name) == m
}

func ofDeployment(name string) Maker { return Maker("MachineDeployment " + name) }
