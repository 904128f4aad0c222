package journal

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Machine waits for a state of the Machine with that UID.
func (j *Journal) Machine(ctx context.Context, uid types.UID, what string, matches func(*clusterv1.Machine) bool) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool {
		machine, ok := e.Object.(*clusterv1.Machine)
		return ok && machine.UID == uid && matches(machine)
	})
}

// Gone waits for the removal of the object with that UID.
func (j *Journal) Gone(ctx context.Context, uid types.UID, what string) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool { return e.Gone && e.Object.GetUID() == uid })
}

// MachineHealthCheck waits for a state of a MachineHealthCheck.
func (j *Journal) MachineHealthCheck(ctx context.Context, key client.ObjectKey, what string, matches func(*clusterv1.MachineHealthCheck) bool) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool {
		mhc, ok := e.Object.(*clusterv1.MachineHealthCheck)
		return ok && client.ObjectKeyFromObject(mhc) == key && matches(mhc)
	})
}

// Verdict returns the verdict on a Machine, or nil.
func Verdict(machine *clusterv1.Machine) *metav1.Condition {
	return meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
}

// HasVerdict matches Machines whose verdict has that status, and that reason unless it is empty.
func HasVerdict(status metav1.ConditionStatus, reason string) func(*clusterv1.Machine) bool {
	return func(machine *clusterv1.Machine) bool {
		verdict := Verdict(machine)
		return verdict != nil && verdict.Status == status && (reason == "" || verdict.Reason == reason)
	}
}

// Marked matches Machines that are marked for their owner.
func Marked(machine *clusterv1.Machine) bool {
	return meta.IsStatusConditionFalse(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
}

// Deleting matches Machines in deletion.
func Deleting(machine *clusterv1.Machine) bool { return !machine.DeletionTimestamp.IsZero() }
