package intake

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// watchFilter decides which Machines belong to other managers, by the label cluster.x-k8s.io/watch-filter.
type watchFilter struct {
	// value is the value that the label cluster.x-k8s.io/watch-filter must have; empty means any.
	value string
	kind  schema.GroupVersionKind
	// cached is fast; live knows whether an object that cached lacks is gone or just not there yet.
	cached, live client.Reader
}

// foreign reports whether a Machine belongs to another manager: its Cluster does not have the label. Machines of OpenShift have no Cluster, so
// there the Machine itself must have it. If the Machine or the Cluster is gone, all managers look after what is left.
func (f watchFilter) foreign(ctx context.Context, key client.ObjectKey) (bool, error) {
	if f.value == "" {
		return false, nil
	}
	machine := scaffold.MetadataOf(f.kind)
	found, err := f.get(ctx, key, machine)
	if err != nil || !found {
		return false, err
	}
	label := machine.Labels[clusterv1.WatchLabel]
	if f.kind != openshift.Kind {
		name, err := f.clusterOf(ctx, machine)
		if err != nil {
			return false, err
		}
		cluster := &clusterv1.Cluster{}
		found, err = f.get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, cluster)
		if err != nil || !found {
			return false, err
		}
		label = cluster.Labels[clusterv1.WatchLabel]
	}
	return label != f.value, nil
}

// clusterOf returns the name of a Machine's Cluster. The label with the name is missing where Cluster API's webhooks are missing.
func (f watchFilter) clusterOf(ctx context.Context, metadata *metav1.PartialObjectMetadata) (string, error) {
	if name := metadata.Labels[clusterv1.ClusterNameLabel]; name != "" {
		return name, nil
	}
	machine := &clusterv1.Machine{}
	if err := f.live.Get(ctx, client.ObjectKeyFromObject(metadata), machine); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("looking for the Cluster of machine %s: %w", client.ObjectKeyFromObject(metadata), err)
	}
	return machine.Spec.ClusterName, nil
}

// get reads an object, and reports whether it exists.
func (f watchFilter) get(ctx context.Context, key client.ObjectKey, obj client.Object) (found bool, err error) {
	if key.Name == "" {
		return false, nil
	}
	err = f.cached.Get(ctx, key, obj)
	if apierrors.IsNotFound(err) {
		err = f.live.Get(ctx, key, obj)
	}
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("checking whether %s belongs to this manager: %w", key, err)
	}
	return true, nil
}

// wakeByFilter wakes a controller when a Cluster gets the label, loses it, or is deleted.
func wakeByFilter(mgr ctrl.Manager, ctl controller.Controller, kind schema.GroupVersionKind, filter string, of handler.MapFunc) error {
	if filter == "" || kind == openshift.Kind {
		return nil
	}
	label := func(obj client.Object) string { return obj.GetLabels()[clusterv1.WatchLabel] }
	changed := predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool { return label(e.ObjectOld) != label(e.ObjectNew) },
	}
	err := ctl.Watch(source.Kind(mgr.GetCache(), client.Object(&clusterv1.Cluster{}), handler.EnqueueRequestsFromMapFunc(of), changed))
	if err != nil {
		return fmt.Errorf("watching the labels of Clusters: %w", err)
	}
	return nil
}
