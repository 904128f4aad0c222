package intake

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// foreign reports whether a Machine belongs to another manager: its Cluster does not have the label. Machines of OpenShift have no Cluster, so
// there the Machine itself must have it. If the Machine or the Cluster is gone, all managers look after what is left.
func (r reader) foreign(ctx context.Context, key client.ObjectKey) (bool, error) {
	if r.watchFilter == "" {
		return false, nil
	}
	machine := scaffold.MetadataOf(r.kind)
	found, err := r.get(ctx, key, machine)
	if err != nil || !found {
		return false, err
	}
	label := machine.Labels[clusterv1.WatchLabel]
	if r.kind != openshift.Kind {
		name, err := r.clusterOf(ctx, machine)
		if err != nil {
			return false, err
		}
		cluster := &clusterv1.Cluster{}
		found, err = r.get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, cluster)
		if err != nil || !found {
			return false, err
		}
		label = cluster.Labels[clusterv1.WatchLabel]
	}
	return label != r.watchFilter, nil
}

// clusterOf returns the name of a Machine's Cluster. The label with the name is missing where Cluster API's webhooks are missing.
func (r reader) clusterOf(ctx context.Context, metadata *metav1.PartialObjectMetadata) (string, error) {
	if name := metadata.Labels[clusterv1.ClusterNameLabel]; name != "" {
		return name, nil
	}
	machine := &clusterv1.Machine{}
	if err := r.live.Get(ctx, client.ObjectKeyFromObject(metadata), machine); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("looking for the Cluster of machine %s: %w", client.ObjectKeyFromObject(metadata), err)
	}
	return machine.Spec.ClusterName, nil
}

// get reads an object, and reports whether it exists.
func (r reader) get(ctx context.Context, key client.ObjectKey, obj client.Object) (found bool, err error) {
	if key.Name == "" {
		return false, nil
	}
	err = r.cached.Get(ctx, key, obj)
	if apierrors.IsNotFound(err) {
		err = r.live.Get(ctx, key, obj)
	}
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("checking whether %s belongs to this manager: %w", key, err)
	}
	return true, nil
}

// wakeByCluster wakes a controller when a Cluster gets the label, loses it, is not paused any more, or is deleted.
func (r reader) wakeByCluster(mgr ctrl.Manager, ctl controller.Controller) error {
	if r.kind == openshift.Kind {
		return nil
	}
	label := func(obj client.Object) string { return obj.GetLabels()[clusterv1.WatchLabel] }
	paused := func(obj client.Object) bool { return mhcspec.ClusterPaused(obj.(*clusterv1.Cluster)) }
	changed := predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return label(e.ObjectOld) != label(e.ObjectNew) || paused(e.ObjectOld) != paused(e.ObjectNew)
		},
	}
	err := ctl.Watch(source.Kind(mgr.GetCache(), client.Object(&clusterv1.Cluster{}), handler.EnqueueRequestsFromMapFunc(r.ofCluster), changed))
	if err != nil {
		return fmt.Errorf("watching Clusters: %w", err)
	}
	return nil
}

// ofCluster maps a Cluster to the Machines of its namespace for which something is asked.
func (r reader) ofCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	in := client.InNamespace(cluster.GetNamespace())
	wake := scaffold.RequestsIn(ctx, r.cached, scaffold.MetadataListOf(r.kind), func(machine *metav1.PartialObjectMetadata) bool { return asks(machine) }, in)
	var requests v1alpha1.RebootRemediationList
	if err := r.cached.List(ctx, &requests, in, client.UnsafeDisableDeepCopy); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot wake the Machines for which something is asked", "cluster", cluster.GetName())
	}
	for i := range requests.Items {
		wake = append(wake, r.ofRequest(ctx, &requests.Items[i])...)
	}
	return wake
}
