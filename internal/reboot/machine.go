package reboot

import (
	"context"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// machine is what this package needs of a Machine of either kind.
type machine struct {
	object client.Object
	// node is the name of its Node; empty if it has not joined.
	node string
	// cluster is where the Node is; empty for a Machine of OpenShift, whose Node is in the management cluster.
	cluster client.ObjectKey
	// infrastructure refers to its infrastructure machine; Machines of OpenShift have none.
	infrastructure clusterv1.ContractVersionedObjectReference
	controlPlane   bool
	// sick reports that a health check says that it is sick. Only the quorum of a control plane depends on it.
	sick bool
}

// machine reads the Machine of a RebootRemediation; nil if there is none.
func (r reader) machine(ctx context.Context, request *v1alpha1.RebootRemediation) (*machine, error) {
	ref := request.Spec.Machine
	key := client.ObjectKey{Namespace: request.Namespace, Name: ref.Name}
	obj := client.Object(&clusterv1.Machine{})
	if ref.APIGroup == machinev1.GroupName {
		obj = &machinev1.Machine{}
	}
	if err := r.live.Get(ctx, key, obj); err != nil {
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("getting machine %s: %w", key, err)
	}
	return machineOf(obj), nil
}

// machineUnreadable records that the Machine of a recorded host, or its infrastructure machine, cannot be read. Of the Machine, only what
// is in the status is known then.
func (v *observed) machineUnreadable(why string, err error) {
	v.note(readMachine, err)
	v.facts.MachineUnreadable = why
	v.facts.Machine = cycle.MachineFacts{UID: v.request.Status.MachineUID}
}

// machineOf converts a Machine of either kind.
func machineOf(obj client.Object) *machine {
	m := &machine{object: obj, controlPlane: inControlPlane(obj)}
	switch o := obj.(type) {
	case *clusterv1.Machine:
		m.node, m.infrastructure = o.Status.NodeRef.Name, o.Spec.InfrastructureRef
		m.cluster = client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.ClusterName}
		m.sick = meta.IsStatusConditionFalse(o.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
	case *machinev1.Machine:
		if o.Status.NodeRef != nil {
			m.node = o.Status.NodeRef.Name
		}
	}
	return m
}

// openShiftRole is the label by which OpenShift distinguishes Machines of the control plane.
const (
	openShiftRole   = "machine.openshift.io/cluster-api-machine-role"
	openShiftMaster = "master"
)

// inControlPlane reports whether a Machine of either kind is part of a control plane.
func inControlPlane(obj metav1.Object) bool {
	_, labelled := obj.GetLabels()[clusterv1.MachineControlPlaneLabel]
	return labelled || obj.GetLabels()[openShiftRole] == openShiftMaster
}

// plane identifies the control plane of a machine. OpenShift has only one.
func (m *machine) plane() client.ObjectKey {
	return client.ObjectKey{Namespace: m.object.GetNamespace(), Name: m.cluster.Name}
}

// facts returns the facts for a decision; for a Machine that is gone, only that.
func (m *machine) facts(request *v1alpha1.RebootRemediation) cycle.MachineFacts {
	if m == nil || !m.object.GetDeletionTimestamp().IsZero() {
		return cycle.MachineFacts{Gone: true}
	}
	facts := cycle.MachineFacts{UID: m.object.GetUID(), Node: m.node}
	if request.Spec.Until != "" {
		facts.AsksFull, facts.Steps = wantedBy(m.object)
	}
	return facts
}
