package reboot

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// home says whether a control plane is that of the cluster in which the RebootRemediation is stored: then it is found there, too. The
// Machines of OpenShift are always those of their own cluster.
func (r *Reconciler) home(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) quorum.Home {
	if r.Kind == OpenShiftKind {
		return quorum.HomeHere
	}
	hasty, cancel := context.WithTimeout(ctx, hastyRead)
	defer cancel()
	c, err := r.Workload.Client(hasty, m.cluster)
	if err != nil {
		return quorum.HomeUnknown
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("RebootRemediation"))
	err = c.Get(hasty, client.ObjectKeyFromObject(request), found)
	switch {
	case err == nil && found.UID == request.UID:
		return quorum.HomeHere
	case err == nil, apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return quorum.HomeElsewhere
	}
	return quorum.HomeUnknown
}

// readCluster reads from the Cluster of a machine whether a person permits that it loses its quorum, and whether its etcd runs
// elsewhere than on the machines of its control plane.
func (r *Reconciler) readCluster(ctx context.Context, m *machine) (permitted, externalEtcd bool, err error) {
	if r.Kind == OpenShiftKind {
		return false, false, nil
	}
	cluster := &clusterv1.Cluster{}
	err = r.Live.Get(ctx, m.cluster, cluster)
	if apierrors.IsNotFound(err) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("getting Cluster %s: %w", m.cluster, err)
	}
	return permits(cluster), r.etcdElsewhere(ctx, cluster), nil
}

// etcdElsewhere reports whether a control plane of kubeadm uses an etcd of its own. Whatever cannot be read, or is of another kind,
// is assumed to run it on its machines, which asks for more of them.
func (r *Reconciler) etcdElsewhere(ctx context.Context, cluster *clusterv1.Cluster) bool {
	ref := cluster.Spec.ControlPlaneRef
	mapping, err := r.Mapper.RESTMapping(schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind})
	if ref.Kind != "KubeadmControlPlane" || err != nil {
		return false
	}
	plane := &unstructured.Unstructured{}
	plane.SetGroupVersionKind(mapping.GroupVersionKind)
	if err := r.Live.Get(ctx, client.ObjectKey{Namespace: cluster.Namespace, Name: ref.Name}, plane); err != nil {
		return false
	}
	external, found, err := unstructured.NestedMap(plane.Object, "spec", "kubeadmConfigSpec", "clusterConfiguration", "etcd", "external")
	return err == nil && found && len(external) > 0
}
