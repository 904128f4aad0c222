package simulate

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// ReadOwner returns what is known about the owner of a machine.
type ReadOwner func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error)

// ReadOwners sets what is known about the owners of machines of which nothing is known yet. Those that cannot be read replace their machines.
func (s *Scene) ReadOwners(read ReadOwner) {
	for _, m := range s.machines {
		ref := metav1.GetControllerOfNoCopy(m.obj)
		if ref == nil || s.owners[ref.UID].Owner != nil {
			continue
		}
		if facts, err := read(m.obj, m.check.cluster); err == nil {
			s.owners[ref.UID] = facts
		}
	}
}

// markFields is what the API server notes about who wrote a mark.
const markFields = `{"f:status":{"f:conditions":{"k:{\"type\":\"` + clusterv1.MachineOwnerRemediatedCondition + `\"}":{".":{},"f:status":{}}}}}`

// mark marks a machine for its owner, as the remediation controller does.
func (s *Scene) mark(m *machine) {
	m.change(s, func(obj *clusterv1.Machine) {
		meta.RemoveStatusCondition(&obj.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		obj.Status.Conditions = append(obj.Status.Conditions, onmachine.Waiting(obj, s.now))
		obj.ManagedFields = append(slices.Clone(obj.ManagedFields), metav1.ManagedFieldsEntry{
			Manager: ownwrites.RemediationFieldOwner, Operation: metav1.ManagedFieldsOperationUpdate, FieldsV1: metav1.NewFieldsV1(markFields),
		})
	})
	s.ownerLooks(m)
}

// unmark takes the mark off a machine.
func (s *Scene) unmark(m *machine) {
	m.change(s, func(obj *clusterv1.Machine) {
		meta.RemoveStatusCondition(&obj.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	})
}

// ownerLooks lets the owner of a machine answer its mark. It does not matter who set the mark. Owners act only if the machine is also sick.
func (s *Scene) ownerLooks(m *machine) {
	if m.gone || !m.sick() || !m.obj.DeletionTimestamp.IsZero() || metav1.GetControllerOfNoCopy(m.obj) == nil {
		return
	}
	switch onmachine.MarkOf(m.obj).State {
	case ladder.MarkWaiting, ladder.MarkDeferred, ladder.MarkAnswered:
	default:
		return
	}
	switch how, why := s.ownerDoes(m); how {
	case OwnersSilent:
		m.left = why
	case ownersDefer:
		if m.left = why; onmachine.MarkOf(m.obj).State != ladder.MarkDeferred {
			s.answer(m, clusterv1.MachineSetMachineRemediationDeferredReason)
		}
	case OwnersRefuse:
		m.left = why
		s.answer(m, clusterv1.MachineSetMachineCannotBeRemediatedReason)
	default:
		s.answer(m, clusterv1.MachineSetMachineRemediationMachineDeletingReason)
		s.deletes(m)
	}
}

// ownerDoes returns what the owner of a machine does when asked to replace it, and why if it does not.
func (s *Scene) ownerDoes(m *machine) (Owners, string) {
	ref := metav1.GetControllerOfNoCopy(m.obj)
	name := ref.Kind + " " + ref.Name
	switch how := s.options.World.Owners; how {
	case OwnersSilent:
		return how, name + " does not answer"
	case OwnersRefuse:
		return how, name + " refuses to replace machines"
	case OwnersReplace:
		return how, ""
	default:
	}
	if m.refused != "" {
		s.assumed[name+" refuses to replace machines that it has refused before"] = true
		return OwnersRefuse, name + " says: " + m.refused
	}
	why := silence.Of(s.ownerOf(m))
	if why.Cause == silence.None {
		return OwnersReplace, ""
	}
	s.assumed[assumed(name, why)] = true
	if why.Cause == silence.NoneInFlight {
		return ownersDefer, why.Words()
	}
	if why.Kind == "MachineDeployment" && why.Cause != silence.ScaledToZero && why.Cause != silence.Deleting {
		// The MachineSet of an older revision says that it leaves the machine to the rollout.
		return OwnersRefuse, why.Words()
	}
	return OwnersSilent, why.Words()
}

// ownerOf returns what is known about the owner of a machine.
func (s *Scene) ownerOf(m *machine) silence.Facts {
	ref := metav1.GetControllerOfNoCopy(m.obj)
	if ref == nil {
		return silence.Facts{}
	}
	facts := s.owners[ref.UID]
	facts.Controller, facts.Cluster = ref, m.check.cluster
	return facts
}

// unreplaced says why nobody would replace a machine that is deleted; empty if its owner would.
func (s *Scene) unreplaced(m *machine) string {
	facts := s.ownerOf(m)
	if why := silence.OfDeletion(facts); why.Never() {
		m.left = why.Words()
		s.assumed[m.left+", so the machine is not deleted"] = true
	}
	return silence.Unreplaced(facts)
}

// assumed says what the simulation assumes of an owner that is asked to replace a machine.
func assumed(owner string, why silence.Why) string {
	if why.Cause == silence.KindUnknown {
		return why.Words() + ", so it replaces no machine here (unless owners=replace is assumed)"
	}
	if owner == why.Kind+" "+why.Name {
		owner = "it"
	}
	return why.Words() + ", so " + owner + " replaces no machine"
}

// answer writes an owner's answer into the mark of its machine.
func (s *Scene) answer(m *machine, reason string) {
	m.change(s, func(obj *clusterv1.Machine) {
		mark := meta.FindStatusCondition(obj.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		mark.Reason, mark.Message, mark.LastTransitionTime = reason, "", s.time()
	})
}
