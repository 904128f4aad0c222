package reboot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// HostAnnotation on an infrastructure machine or on a Machine of OpenShift names its host as namespace/name.
const HostAnnotation = "metal3.io/BareMetalHost"

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
	// sick says that a health check calls it so. It matters for the quorum of a control plane alone.
	sick bool
}

// referenceOf returns the Machine that a RebootRemediation is about.
func referenceOf(request *v1alpha1.RebootRemediation) v1alpha1.MachineReference {
	if request.Spec.Machine != nil {
		return *request.Spec.Machine
	}
	for _, owner := range request.OwnerReferences {
		group, err := schema.ParseGroupVersion(owner.APIVersion)
		if err == nil && owner.Kind == "Machine" && (group.Group == clusterv1.GroupVersion.Group || group.Group == machinev1.GroupName) {
			return v1alpha1.MachineReference{APIGroup: group.Group, Name: owner.Name}
		}
	}
	return v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: request.Name}
}

// machine reads the Machine of a RebootRemediation; nil if there is none.
func (r *Reconciler) machine(ctx context.Context, request *v1alpha1.RebootRemediation) (*machine, error) {
	ref := referenceOf(request)
	key := client.ObjectKey{Namespace: request.Namespace, Name: ref.Name}
	obj := client.Object(&clusterv1.Machine{})
	if ref.APIGroup == machinev1.GroupName {
		obj = &machinev1.Machine{}
	}
	if err := r.Live.Get(ctx, key, obj); err != nil {
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("getting machine %s: %w", key, err)
	}
	return machineOf(obj), nil
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

// wantedBy returns what the annotations of a Machine ask for: a full cycle, and single steps. A sign asks for nothing.
func wantedBy(obj metav1.Object) (full bool, steps map[v1alpha1.Step]bool) {
	steps = map[v1alpha1.Step]bool{}
	for key, value := range obj.GetAnnotations() {
		if key == rebootannotation.Request && !rebootannotation.IsSign(value) {
			full = true
		}
		switch step := v1alpha1.Step(strings.TrimPrefix(key, rebootannotation.Request+"/")); step {
		case v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn:
			steps[step] = true
		}
	}
	return full, steps
}

// The Cluster Autoscaler looks after owners of machines that have one of these annotations, after the API group of the machines.
const (
	autoscalerMinSize = "/cluster-api-autoscaler-node-group-min-size"
	autoscalerMaxSize = "/cluster-api-autoscaler-node-group-max-size"
)

// nodeGroups are the kinds of owners that the Cluster Autoscaler can scale.
var nodeGroups = []schema.GroupKind{
	{Group: clusterv1.GroupVersion.Group, Kind: "MachineDeployment"},
	{Group: clusterv1.GroupVersion.Group, Kind: "MachinePool"},
	{Group: clusterv1.GroupVersion.Group, Kind: "MachineSet"},
	{Group: machinev1.GroupName, Kind: "MachineSet"},
}

// autoscaled reports whether a Cluster Autoscaler looks after a Machine: one of its owners, up to the MachineDeployment, has an annotation for that.
// If an owner cannot be read, it may do so. Owners are read only if a decision depends on them.
func (r *Reconciler) autoscaled(ctx context.Context, request *v1alpha1.RebootRemediation, v *view) bool {
	if v.machine == nil || !cycle.NeedsOwner(&v.facts) {
		return false
	}
	var owned metav1.Object = v.machine.object
	// The longest chain is MachineSet, MachineDeployment.
	for range 2 {
		owner, err := r.nodeGroupOf(ctx, owned)
		if err != nil {
			r.reportFailure(request, readOwner, err)
			return true
		}
		r.failures.Succeed(client.ObjectKeyFromObject(request), readOwner)
		if owner == nil {
			return false
		}
		group := owner.GroupVersionKind().Group
		if mhcspec.HasAnnotation(owner, group+autoscalerMinSize) || mhcspec.HasAnnotation(owner, group+autoscalerMaxSize) {
			return true
		}
		owned = owner
	}
	return false
}

// nodeGroupOf reads the owner of an object that a Cluster Autoscaler may scale; nil if there is none.
func (r *Reconciler) nodeGroupOf(ctx context.Context, owned metav1.Object) (*metav1.PartialObjectMetadata, error) {
	ref := metav1.GetControllerOf(owned)
	if ref == nil {
		return nil, nil
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	if !slices.Contains(nodeGroups, gvk.GroupKind()) {
		return nil, nil
	}
	owner, key := &metav1.PartialObjectMetadata{}, client.ObjectKey{Namespace: owned.GetNamespace(), Name: ref.Name}
	owner.SetGroupVersionKind(gvk)
	if err := r.Live.Get(ctx, key, owner); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("getting %s %s: %w", ref.Kind, key, err)
	}
	owner.SetGroupVersionKind(gvk)
	return owner, nil
}
