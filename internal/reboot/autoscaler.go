package reboot

import (
	"context"
	"slices"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

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
func (r reader) autoscaled(ctx context.Context, v *observed) bool {
	if v.machine == nil || !cycle.NeedsOwner(&v.facts) {
		return false
	}
	var owned metav1.Object = v.machine.object
	// The longest chain is MachineSet, MachineDeployment.
	for range 2 {
		owner, err := r.nodeGroupOf(ctx, owned)
		v.note(readOwner, err)
		if err != nil {
			return true
		}
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
func (r reader) nodeGroupOf(ctx context.Context, owned metav1.Object) (*metav1.PartialObjectMetadata, error) {
	ref := metav1.GetControllerOf(owned)
	if ref == nil {
		return nil, nil
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	if !slices.Contains(nodeGroups, gvk.GroupKind()) {
		return nil, nil
	}
	owner, err := scaffold.Find(ctx, r.live, client.ObjectKey{Namespace: owned.GetNamespace(), Name: ref.Name}, scaffold.MetadataOf(gvk))
	if owner == nil {
		return nil, err
	}
	// Reading empties it.
	owner.SetGroupVersionKind(gvk)
	return owner, nil
}
