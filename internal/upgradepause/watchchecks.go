package upgradepause

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// all returns all MachineHealthChecks of our kind.
func (r *Reconciler) all(ctx context.Context, _ client.Object) []ctrl.Request {
	return r.checks(ctx, func(client.Object) bool { return true })
}

// ofNode maps a Node, or an OpenShift Machine, to those MachineHealthChecks of its namespace that wait for Nodes or that we do not pause:
// it may have joined a pool that updates.
func (r *Reconciler) ofNode(ctx context.Context, obj client.Object) []ctrl.Request {
	namespace := obj.GetNamespace()
	if node, ok := obj.(*corev1.Node); ok {
		namespace, _, _ = strings.Cut(node.Annotations[pause.MachineOfNode], "/")
	}
	if namespace == "" {
		return nil // it belongs to no Machine
	}
	return r.checks(ctx, func(check client.Object) bool {
		return check.GetAnnotations()[pause.SettlingAnnotation] != "" || !pause.Ours(check.GetAnnotations())
	}, client.InNamespace(namespace))
}

// ofCluster maps an object of a Cluster to the MachineHealthChecks of that Cluster.
func (r *Reconciler) ofCluster(ctx context.Context, obj client.Object) []ctrl.Request {
	if machine, ok := obj.(*clusterv1.Machine); ok {
		cluster := client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.ClusterName}
		r.censuses.changed(cluster)
		return r.list(ctx, cluster)
	}
	cluster, ok := clusterOf(obj)
	if !ok {
		return nil
	}
	return r.list(ctx, cluster)
}

func (r *Reconciler) list(ctx context.Context, cluster client.ObjectKey) []ctrl.Request {
	return r.checks(ctx, func(check client.Object) bool {
		key, ok := clusterOf(check)
		return ok && key == cluster
	}, client.InNamespace(cluster.Namespace))
}

func (r *Reconciler) checks(ctx context.Context, concerns func(client.Object) bool, in ...client.ListOption) []ctrl.Request {
	return scaffold.RequestsIn(ctx, r.Client, scaffold.MetadataListOf(r.Kind), concerns, in...)
}
