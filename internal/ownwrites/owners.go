package ownwrites

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OwnerPrefix begins the names of all of Sickbay's field owners.
const OwnerPrefix = "sickbay-"

// MachineHealthFieldOwner writes verdicts on Machines.
const MachineHealthFieldOwner = "sickbay-machinehealth"

// RemediationFieldOwner writes records, and their requests on Machines.
const RemediationFieldOwner = "sickbay-remediation"

// CommandFieldOwner and DashboardFieldOwner write for people, with their permissions: what they write is people's.
const (
	CommandFieldOwner   = "sickbay-cli"
	DashboardFieldOwner = "sickbay-dashboard"
)

// OfManager reports whether the manager writes under a name, and nobody else.
func OfManager(owner string) bool {
	return strings.HasPrefix(owner, OwnerPrefix) && owner != CommandFieldOwner && owner != DashboardFieldOwner
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
