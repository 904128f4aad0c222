// Package onmachine knows how a repair shows on its Machine. It reads the verdict, the mark for the owner and the power cycles that annotations
// ask for, and builds the mark and the note of who owned the Machine. It is pure. The remediation controller adds what it reads elsewhere; simulate has only this.
package onmachine

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Facts returns all that a Machine states about the next step of its record. simulate begins with it; the controller uses the parts.
func Facts(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Facts {
	_, asked := machine.Annotations[clusterv1.RemediateMachineAnnotation]
	return ladder.Facts{
		Record: record, Machine: Machine(machine, record), RemediateAsked: asked,
		Safety: ladder.Safety{HeldByOthers: HeldByOthers(machine, record), KeptOff: KeptOff(machine, record)},
	}
}

// Machine returns the facts that the Machine itself has.
func Machine(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Machine {
	m := ladder.Machine{Health: Health(machine), Owner: ownerOf(machine), Mark: markFor(machine, record), ControlPlane: verdict.IsControlPlane(machine)}
	if by := record.Spec.RequestedBy; by != nil && by.Kind == v1alpha1.AskedByHealthCheck && precedes(machine, record) {
		m.Health = ladder.Sick
	}
	m.OtherFinding = m.Health == ladder.Sick && verdict.Of(machine).Reason != record.Spec.Finding.Reason
	if !machine.DeletionTimestamp.IsZero() {
		m.DeletingSince = machine.DeletionTimestamp.Time
	}
	return m
}

// precedes reports whether the verdict on a Machine is from before the record of another health check, or there is none. Then its request is its
// word: Cluster API makes the request first, and judges the Machine afterwards.
func precedes(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) bool {
	judged := verdict.Of(machine)
	return judged.Status == "" || (judged.Status == metav1.ConditionTrue && !record.CreationTimestamp.Before(&judged.LastTransitionTime))
}

// Health returns the verdict on a Machine.
func Health(machine *clusterv1.Machine) ladder.Health { return HealthBy(verdict.Of(machine).Status) }

// HealthBy returns what a verdict says.
func HealthBy(status metav1.ConditionStatus) ladder.Health {
	switch status {
	case metav1.ConditionTrue:
		return ladder.Healthy
	case metav1.ConditionFalse:
		return ladder.Sick
	default:
		return ladder.Undecided
	}
}

// ownerOf returns the controller of a Machine; nil if there is none.
func ownerOf(machine *clusterv1.Machine) *v1alpha1.RemediationObjectReference {
	owner := metav1.GetControllerOf(machine)
	if owner == nil {
		return nil
	}
	return &v1alpha1.RemediationObjectReference{APIVersion: owner.APIVersion, Kind: owner.Kind, Name: owner.Name, UID: owner.UID}
}

// OwnerAnnotation returns the annotation of a new record that says which controller owns its Machine, if the plan may delete that: afterwards nothing
// else may say who makes the next one.
func OwnerAnnotation(machine *clusterv1.Machine, steps []v1alpha1.RemediationStep) map[string]string {
	owner := ownerOf(machine)
	if owner == nil || !slices.ContainsFunc(steps, v1alpha1.RemediationStep.Deletes) {
		return nil
	}
	return map[string]string{ladder.OwnerAnnotation: owner.APIVersion + " " + owner.Kind + " " + owner.Name}
}
