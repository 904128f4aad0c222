package ownwrites

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OwnerPrefix begins the names of all of Sickbay's field owners.
const OwnerPrefix = "sickbay-"

// MachineHealthFieldOwner writes verdicts on Machines.
const MachineHealthFieldOwner = "sickbay-machinehealth"

// RemediationFieldOwner writes records, and their requests on Machines.
const RemediationFieldOwner = "sickbay-remediation"

// RebootMarkFieldOwner sets the mark for a Machine's owner after a power cycle without a
// record: a person may have asked for the cycle, and then also for another machine.
const RebootMarkFieldOwner = "sickbay-reboot-mark"

// MarkedWithoutRecord reports whether a power cycle without a record set the mark on a
// Machine.
func MarkedWithoutRecord(machine *clusterv1.Machine) bool {
	return Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, RebootMarkFieldOwner)
}

// KeepOurManagedFields drops the managed fields of everybody else from an object on its way
// into a cache: they are half of its size, and only ours are read.
func KeepOurManagedFields(obj any) (any, error) {
	object, ok := obj.(client.Object)
	if !ok {
		return obj, nil
	}
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if strings.HasPrefix(entry.Manager, OwnerPrefix) {
			kept = append(kept, entry)
		}
	}
	object.SetManagedFields(kept)
	return obj, nil
}
