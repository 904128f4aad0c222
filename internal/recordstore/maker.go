package recordstore

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Maker is who makes the next machine of a cluster in the place of another: the UID of a controller, or the name of a MachineDeployment.
type Maker string

// MakerOf returns the maker that an attempt refers to. It is a MachineDeployment if the next machine comes from another of its MachineSets.
func MakerOf(ref *v1alpha1.RemediationObjectReference) Maker {
	if ref.Kind == "MachineDeployment" {
		return ofDeployment(ref.Name)
	}
	return Maker(ref.UID)
}

// MakersOf returns who may have made a machine: its controller and, if that is a MachineSet, its MachineDeployment.
func MakersOf(machine *clusterv1.Machine) []Maker {
	owner := metav1.GetControllerOfNoCopy(machine)
	if owner == nil {
		return nil
	}
	if name := deploymentOf(machine, owner); name != "" {
		return []Maker{Maker(owner.UID), ofDeployment(name)}
	}
	return []Maker{Maker(owner.UID)}
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
	name := deploymentOf(machine, owner)
	return name != "" && ofDeployment(name) == m
}

// deploymentOf returns the name of the MachineDeployment of a machine and its owner; empty if there is none.
func deploymentOf(machine *clusterv1.Machine, owner *metav1.OwnerReference) string {
	if owner.Kind != "MachineSet" {
		return ""
	}
	return machine.Labels[clusterv1.MachineDeploymentNameLabel]
}

func ofDeployment(name string) Maker { return Maker("MachineDeployment " + name) }
