package reboot

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Foreign reports whether a Machine is left to other managers by a watch filter: its Cluster does not have the label or, as Machines of
// OpenShift have none, the Machine itself. What is left of a Machine or a Cluster that is gone is nobody's in particular, and everybody sees
// to it.
func Foreign(ctx context.Context, reader client.Reader, filter string, kind schema.GroupVersionKind, key client.ObjectKey) (bool, error) {
	if filter == "" {
		return false, nil
	}
	machine := &metav1.PartialObjectMetadata{}
	machine.SetGroupVersionKind(kind)
	found, err := get(ctx, reader, key, machine)
	if err != nil || !found {
		return false, err
	}
	if kind == OpenShiftKind {
		return machine.Labels[clusterv1.WatchLabel] != filter, nil
	}
	cluster := &clusterv1.Cluster{}
	found, err = get(ctx, reader, client.ObjectKey{Namespace: key.Namespace, Name: machine.Labels[clusterv1.ClusterNameLabel]}, cluster)
	return found && cluster.Labels[clusterv1.WatchLabel] != filter, err
}

// get reads an object if it is there.
func get(ctx context.Context, reader client.Reader, key client.ObjectKey, obj client.Object) (found bool, err error) {
	if key.Name == "" {
		return false, nil
	}
	err = reader.Get(ctx, key, obj)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking whether %s is for this manager: %w", key, err)
	}
	return true, nil
}
