package reboot

import (
	"context"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// observePlane reads whether the rest of a control plane is up, as long as a decision depends on that.
func (r reader) observePlane(ctx context.Context, v *observed) {
	if v.machine == nil || v.facts.Throttled != "" || !cycle.NeedsPlane(&v.facts) {
		return
	}
	var err error
	v.plane, err = r.controlPlane(ctx, v.request, v.machine)
	switch {
	case err != nil:
		// This is about other machines. Whatever does not depend on them goes on.
		v.note(readPlane, err)
		v.facts.Throttled = "Sickbay cannot tell whether the rest of the control plane is up"
	case v.plane != nil:
		v.note(readPlane, nil)
		v.facts.Throttled = quorum.Waits(*v.plane)
	}
}

// controlPlane reads what decides whether a control-plane machine may begin; nil for any other machine, which waits for nobody.
// While another machine is cycled, the rest does not matter.
func (r reader) controlPlane(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (*quorum.Facts, error) {
	if !m.controlPlane {
		return nil, nil
	}
	cycles, err := cyclesIn(ctx, r.cached, request.Namespace)
	if err != nil {
		return nil, err
	}
	f := &quorum.Facts{Cycles: r.inCycle(ctx, cycles, request, m)}
	if len(f.Cycles) > 0 {
		return f, nil
	}
	others, err := r.others(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		peer, err := r.peer(ctx, other, cycles)
		if err != nil {
			return nil, err
		}
		f.Peers = append(f.Peers, peer)
	}
	f.Permitted, f.ExternalEtcd, err = r.readCluster(ctx, m)
	f.Permitted = f.Permitted || permits(request)
	f.Home = r.home(ctx, request, m)
	return f, err
}

// permits reports whether a person has annotated an object to permit that a control plane loses its quorum.
func permits(obj client.Object) bool { return obj.GetAnnotations()[quorum.Permission] == "true" }

// others reads the other machines of the control plane.
func (r reader) others(ctx context.Context, m *machine) ([]*machine, error) {
	list, role := client.ObjectList(&clusterv1.MachineList{}), client.ListOption(client.HasLabels{clusterv1.MachineControlPlaneLabel})
	if r.kind == OpenShiftKind {
		list, role = &machinev1.MachineList{}, client.MatchingLabels{openShiftRole: openShiftMaster}
	}
	if err := r.live.List(ctx, list, client.InNamespace(m.object.GetNamespace()), role); err != nil {
		return nil, fmt.Errorf("listing the machines of the control plane: %w", err)
	}
	var others []*machine
	err := meta.EachListItem(list, func(item runtime.Object) error {
		if other := machineOf(item.(client.Object)); other.cluster == m.cluster && other.object.GetUID() != m.object.GetUID() {
			others = append(others, other)
		}
		return nil
	})
	return others, err
}

// home says whether a control plane belongs to the management cluster: then the workload cluster has this same RebootRemediation.
// Machines of OpenShift always belong to the cluster that they are stored in.
func (r reader) home(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) quorum.Home {
	if r.kind == OpenShiftKind {
		return quorum.HomeHere
	}
	hasty, cancel := context.WithTimeout(ctx, hastyRead)
	defer cancel()
	c, err := r.connect(hasty, m.cluster)
	if err != nil {
		return quorum.HomeUnknown
	}
	found := scaffold.MetadataOf(v1alpha1.GroupVersion.WithKind("RebootRemediation"))
	err = c.Get(hasty, client.ObjectKeyFromObject(request), found)
	switch {
	case err == nil && found.UID == request.UID:
		return quorum.HomeHere
	case err == nil, apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return quorum.HomeElsewhere
	}
	return quorum.HomeUnknown
}

// readCluster reads from the Cluster of a machine whether a person permits it to lose its quorum, and whether its etcd runs
// elsewhere than on the machines of its control plane.
func (r reader) readCluster(ctx context.Context, m *machine) (permitted, externalEtcd bool, err error) {
	if r.kind == OpenShiftKind {
		return false, false, nil
	}
	cluster, err := scaffold.Find(ctx, r.live, m.cluster, &clusterv1.Cluster{})
	if err != nil || cluster == nil {
		return false, false, err
	}
	return permits(cluster), r.etcdElsewhere(ctx, cluster), nil
}

// etcdElsewhere reports whether a KubeadmControlPlane uses an external etcd. If it cannot be read, or is of another kind, the answer
// is no: then more machines have to be up.
func (r reader) etcdElsewhere(ctx context.Context, cluster *clusterv1.Cluster) bool {
	ref := cluster.Spec.ControlPlaneRef
	plane, kind := &unstructured.Unstructured{}, schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind}
	if ref.Kind != "KubeadmControlPlane" || scaffold.GetServed(ctx, r.live, r.mapper, kind, client.ObjectKey{Namespace: cluster.Namespace, Name: ref.Name}, plane) != nil {
		return false
	}
	external, found, err := unstructured.NestedMap(plane.Object, "spec", "kubeadmConfigSpec", "clusterConfiguration", "etcd", "external")
	return err == nil && found && len(external) > 0
}
