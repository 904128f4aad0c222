package machinehealth

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
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

	"github.com/sickbay-dev/sickbay/internal/fairqueue"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	r.Selectors = cmp.Or(r.Selectors, &mhcspec.Selectors{})
	r.Engine().NewQueue = fairqueue.New(fairqueue.ByCluster(mgr.GetCache(), r.Engine().New, queuePlace))
	r.Engine().MoreWatches = func(ctl controller.Controller) error { return r.addWatches(mgr.GetCache(), ctl) }
	return r.Engine().SetupWithManager(mgr)
}

// queuePlace puts machines that have a verdict before those that have none yet: many new machines must not hold up the others.
func queuePlace(machine *clusterv1.Machine) (cluster string, canWait bool) {
	return machine.Spec.ClusterName, meta.FindStatusCondition(machine.Status.Conditions, verdict.ConditionType) == nil
}

// addWatches wakes a Machine when anything changes that its verdict depends on, and only then.
func (r *Reconciler) addWatches(objects cache.Cache, ctl controller.Controller) error {
	r.ctl = ctl
	reads := r.reader()
	mhcs := source.Kind(objects, client.Object(&clusterv1.MachineHealthCheck{}),
		handler.EnqueueRequestsFromMapFunc(reads.machinesOfMachineHealthCheck), RelevantCheckChange())
	if err := ctl.Watch(mhcs); err != nil {
		return err
	}
	clusters := source.Kind(objects, client.Object(&clusterv1.Cluster{}),
		handler.EnqueueRequestsFromMapFunc(reads.machinesOfCluster), relevantClusterChange(), r.forgetDeleted())
	if err := ctl.Watch(clusters); err != nil {
		return err
	}
	if r.Clusters == nil {
		return nil
	}
	if err := ctl.Watch(source.Kind(objects, client.Object(&corev1.Secret{}), handler.EnqueueRequestsFromMapFunc(r.machinesOfKubeconfig))); err != nil {
		return err
	}
	return ctl.Watch(r.Clusters.Reachable(ControllerName, reads.machinesOfCluster))
}

// watchNodes makes events of a cluster's Nodes wake the controller, if it runs in a manager.
func (r *Reconciler) watchNodes(ctx context.Context, cluster client.ObjectKey) error {
	if r.Clusters == nil || r.ctl == nil {
		return nil
	}
	return r.Clusters.Watch(ctx, ControllerName, cluster, r.ctl, r.reader().machinesOfNode)
}

// machinesOfKubeconfig maps a kubeconfig secret to all Machines of its cluster if the cluster cannot be read: their verdicts say what is wrong
// with the secret. If it can be read, a renewed credential does not matter.
func (r *Reconciler) machinesOfKubeconfig(ctx context.Context, kubeconfig client.Object) []ctrl.Request {
	name, purpose, err := secret.ParseSecretName(kubeconfig.GetName())
	cluster := client.ObjectKey{Namespace: kubeconfig.GetNamespace(), Name: name}
	if err != nil || purpose != secret.Kubeconfig || !r.Clusters.Unread(cluster) {
		return nil
	}
	return r.reader().machinesIn(ctx, cluster)
}

// machinesOfMachineHealthCheck maps a MachineHealthCheck to the Machines that it selects. An update maps both its old and its new state, so
// Machines that it no longer selects are woken, too.
func (r reader) machinesOfMachineHealthCheck(ctx context.Context, obj client.Object) []ctrl.Request {
	machines, err := r.selectors.MachinesSelectedBy(ctx, r.objects, obj.(*clusterv1.MachineHealthCheck))
	return scaffold.RequestsFor(ctx, machines, err)
}

func (r reader) machinesOfCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	return r.machinesIn(ctx, client.ObjectKeyFromObject(cluster))
}

func (r reader) machinesOfNode(ctx context.Context, cluster client.ObjectKey, node string) []ctrl.Request {
	machines, err := mhcspec.MachinesOfNode(ctx, r.objects, cluster, node)
	return scaffold.RequestsFor(ctx, machines, err)
}

func (r reader) machinesIn(ctx context.Context, cluster client.ObjectKey) []ctrl.Request {
	machines, err := mhcspec.MachinesOf(ctx, r.objects, cluster)
	return scaffold.RequestsFor(ctx, machines, err)
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
