package machinehealth

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// addWatches wakes a Machine when anything changes that its verdict depends on, and only then.
func (r *Reconciler) addWatches(objects cache.Cache, ctl controller.Controller) error {
	r.ctl = ctl
	mhcs := source.Kind(objects, client.Object(&clusterv1.MachineHealthCheck{}),
		handler.EnqueueRequestsFromMapFunc(r.machinesOfMachineHealthCheck), mhcspec.OutsideStatus())
	if err := ctl.Watch(mhcs); err != nil {
		return err
	}
	clusters := source.Kind(objects, client.Object(&clusterv1.Cluster{}),
		handler.EnqueueRequestsFromMapFunc(r.machinesOfCluster), relevantClusterChange(), r.forgetDeleted())
	if err := ctl.Watch(clusters); err != nil {
		return err
	}
	if r.Clusters == nil {
		return nil
	}
	r.watchNodes = func(ctx context.Context, cluster client.ObjectKey) error {
		return r.Clusters.Watch(ctx, ControllerName, cluster, ctl, r.machinesOfNode)
	}
	if err := ctl.Watch(source.Kind(objects, client.Object(&corev1.Secret{}), handler.EnqueueRequestsFromMapFunc(r.machinesOfKubeconfig))); err != nil {
		return err
	}
	return ctl.Watch(r.Clusters.Reachable(ControllerName, r.machinesOfCluster))
}

// machinesOfKubeconfig maps a kubeconfig secret to all Machines of its cluster if the cluster cannot be read: their verdicts say what is wrong
// with the secret. If it can be read, a renewed credential does not matter.
func (r *Reconciler) machinesOfKubeconfig(ctx context.Context, kubeconfig client.Object) []ctrl.Request {
	name, purpose, err := secret.ParseSecretName(kubeconfig.GetName())
	cluster := client.ObjectKey{Namespace: kubeconfig.GetNamespace(), Name: name}
	if err != nil || purpose != secret.Kubeconfig || !r.Clusters.Unread(cluster) {
		return nil
	}
	return r.machinesIn(ctx, cluster)
}

// machinesOfMachineHealthCheck maps a MachineHealthCheck to the Machines that it selects. An update maps both its old and its new state, so
// Machines that it no longer selects are woken, too.
func (r *Reconciler) machinesOfMachineHealthCheck(ctx context.Context, obj client.Object) []ctrl.Request {
	machines, err := r.Selectors.MachinesSelectedBy(ctx, r.Client, obj.(*clusterv1.MachineHealthCheck))
	return scaffold.RequestsFor(ctx, machines, err)
}

func (r *Reconciler) machinesOfCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	return r.machinesIn(ctx, client.ObjectKeyFromObject(cluster))
}

func (r *Reconciler) machinesOfNode(ctx context.Context, cluster client.ObjectKey, node string) []ctrl.Request {
	machines, err := mhcspec.MachinesOfNode(ctx, r.Client, cluster, node)
	return scaffold.RequestsFor(ctx, machines, err)
}

func (r *Reconciler) machinesIn(ctx context.Context, cluster client.ObjectKey) []ctrl.Request {
	machines, err := mhcspec.MachinesOf(ctx, r.Client, cluster)
	return scaffold.RequestsFor(ctx, machines, err)
}

// relevantMachineChange drops events that cannot change a verdict, such as those of our own writes.
func relevantMachineChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Machine), e.ObjectNew.(*clusterv1.Machine)
		return mhcspec.ChangedOutsideStatus(before, after) ||
			before.Status.NodeRef != after.Status.NodeRef ||
			before.Status.Phase != after.Status.Phase ||
			verdict.FailureOf(before) != verdict.FailureOf(after) ||
			!slices.EqualFunc(others(before.Status.Conditions), others(after.Status.Conditions), sameState) ||
			verdictTampered(before, after)
	}}
}

// verdictTampered reports whether the verdict has disappeared or changed, perhaps not by our own write. Looking once more costs little.
func verdictTampered(before, after *clusterv1.Machine) bool {
	return meta.IsStatusConditionTrue(before.Status.Conditions, verdict.ConditionType) != meta.IsStatusConditionTrue(after.Status.Conditions, verdict.ConditionType) ||
		len(before.Status.Conditions) > len(after.Status.Conditions)
}

// others returns the conditions that rules may refer to.
func others(conditions []metav1.Condition) []metav1.Condition {
	kept := make([]metav1.Condition, 0, len(conditions))
	for _, c := range conditions {
		if c.Type != verdict.ConditionType && c.Type != clusterv1.MachineOwnerRemediatedCondition {
			kept = append(kept, c)
		}
	}
	return kept
}

func sameState(a, b metav1.Condition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.LastTransitionTime.Equal(&b.LastTransitionTime) &&
		(a.Type != verdict.HostConditionType || a.Message == b.Message) // the verdict quotes the host's error
}

// forgetDeleted drops the state of Clusters that are gone; it filters nothing.
func (r *Reconciler) forgetDeleted() predicate.Predicate {
	return predicate.Funcs{DeleteFunc: func(e event.DeleteEvent) bool {
		if r.Clusters != nil {
			r.Clusters.Forget(client.ObjectKeyFromObject(e.Object))
		}
		return true
	}}
}

func relevantClusterChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Cluster), e.ObjectNew.(*clusterv1.Cluster)
		for _, conditionType := range []string{clusterv1.ClusterInfrastructureReadyCondition, clusterv1.ClusterControlPlaneInitializedCondition} {
			if !verdict.TrueSince(before.Status.Conditions, conditionType).Equal(verdict.TrueSince(after.Status.Conditions, conditionType)) {
				return true
			}
		}
		return !equality.Semantic.DeepEqual(before.Spec.Paused, after.Spec.Paused)
	}}
}
