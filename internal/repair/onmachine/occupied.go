package onmachine

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Occupied counts the machines at which each owner is at work, by the owner's UID.
type Occupied map[types.UID]int

// Note counts a machine before a change and after it; nil is a machine that is not there.
func (o Occupied) Note(before, after *clusterv1.Machine) {
	o.add(before, -1)
	o.add(after, 1)
}

func (o Occupied) add(machine *clusterv1.Machine, n int) {
	if machine == nil || !OccupiesOwner(machine) {
		return
	}
	if owner := metav1.GetControllerOfNoCopy(machine); owner != nil {
		o[owner.UID] += n
	}
}

// Beside reports whether the owner of a machine is at work on another one.
func (o Occupied) Beside(machine *clusterv1.Machine) bool {
	owner := metav1.GetControllerOfNoCopy(machine)
	if owner == nil {
		return false
	}
	others := o[owner.UID]
	if OccupiesOwner(machine) {
		others--
	}
	return others > 0
}
