package explaintest

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// OwnedBy gives a machine an owner, about which this is known.
func (s *Scene) OwnedBy(m *clusterv1.Machine, apiVersion, kind, name string, known silence.Facts) {
	m.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(name), Controller: new(true)}}
	known.Controller, known.Cluster = &m.OwnerReferences[0], s.Cluster
	s.owners[m.Name] = known
}

// Answer sets what the owner of a machine answers to its mark.
func (s *Scene) Answer(m *clusterv1.Machine, reason, message string) {
	meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
		Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message,
	})
}

// mark marks the machine of a record for its owner, as Sickbay does, or takes the mark away.
func (s *Scene) mark(machine types.UID, act ladder.Act) {
	for _, m := range s.Machines {
		switch {
		case m.UID != machine:
		case act == ladder.MarkForOwner:
			s.Answer(m, clusterv1.MachineOwnerRemediatedWaitingForRemediationReason, "Waiting for remediation")
			m.ManagedFields = []metav1.ManagedFieldsEntry{{
				Manager: ownwrites.RemediationFieldOwner, Operation: metav1.ManagedFieldsOperationApply, Subresource: "status",
				FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{"k:{\"type\":\"OwnerRemediated\"}":{"f:status":{}}}}}`),
			}}
		default:
			meta.RemoveStatusCondition(&m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
			m.ManagedFields = nil
		}
	}
}

// delete deletes a machine, which is not gone yet.
func (s *Scene) delete(machine types.UID, at time.Time) {
	for _, m := range s.Machines {
		if m.UID == machine {
			m.DeletionTimestamp = new(metav1.NewTime(at))
		}
	}
}
