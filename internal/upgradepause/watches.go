package upgradepause

import (
	"context"
	"fmt"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/targets"
)

// addController adds the watches: MachineHealthChecks as metadata, and what the signals read.
func (r *Reconciler) addController(ctx context.Context, mgr ctrl.Manager) error {
	options := controller.Options{
		Reconciler: r, MaxConcurrentReconciles: r.Concurrency, Logger: mgr.GetLogger(),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](5*time.Millisecond, 30*time.Second),
	}
	options.DefaultFromConfig(mgr.GetControllerOptions())
	ctl, err := controller.NewUnmanaged(r.name(), options)
	if err != nil {
		return fmt.Errorf("making controller %s: %w", r.name(), err)
	}
	check := &metav1.PartialObjectMetadata{}
	check.SetGroupVersionKind(r.Kind)
	if err := ctl.Watch(source.Kind(mgr.GetCache(), client.Object(check), &handler.EnqueueRequestForObject{}, checkChange())); err != nil {
		return fmt.Errorf("adding the watches of %s: %w", r.name(), err)
	}
	if r.Signals == nil {
		if err := r.addSignals(ctx, mgr, ctl); err != nil {
			return fmt.Errorf("adding the watches of %s: %w", r.name(), err)
		}
	}
	return mgr.Add(ctl)
}

func (r *Reconciler) addSignals(ctx context.Context, mgr ctrl.Manager, ctl controller.Controller) error {
	look, err := r.newLookout(mgr, ctl)
	if err != nil {
		return err
	}
	r.selectors.kind, r.selectors.live = r.Kind, mgr.GetAPIReader()
	r.Signals = []Signal{clusterVersion{reader: look.cache, lookout: look, installed: r.ClusterVersion}}
	err = r.ClusterVersion.whenSet(func() error {
		return look.watch(ctx, &configv1.ClusterVersion{}, handler.EnqueueRequestsFromMapFunc(r.all),
			onChange(func(obj client.Object) string { return digestOfClusterVersion(obj.(*configv1.ClusterVersion)) }))
	})
	if err != nil {
		return err
	}
	if r.Kind != ClusterAPIKind {
		return r.addPools(ctx, look)
	}
	signal := clusterAPI{reader: mgr.GetCache(), rollouts: look.cache, censuses: &r.censuses, mapper: mgr.GetRESTMapper(), open: look.opener(r.ofCluster)}
	r.Signals = append(r.Signals, signal)
	r.Readiness = clusterMachines{selectors: &r.selectors, reader: look.cache, censuses: &r.censuses, open: signal.open}
	clusters := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, cluster client.Object) []ctrl.Request {
		return r.list(ctx, client.ObjectKeyFromObject(cluster))
	})
	return ctl.Watch(source.Kind(mgr.GetCache(), client.Object(&clusterv1.Cluster{}), clusters, onChange(digestOfCluster),
		forgetDeleted(func(cluster client.Object) *corev1.ObjectReference {
			key := client.ObjectKeyFromObject(cluster)
			r.censuses.changed(key)
			return clusterReference(key)
		})))
}

// addPools adds what is only there for the MachineHealthChecks of OpenShift.
func (r *Reconciler) addPools(ctx context.Context, look *lookout) error {
	machines := openshiftMachines{selectors: &r.selectors, reader: look.cache, open: look.opener(r.ofNode)}
	r.Readiness = machines
	r.Signals = append(r.Signals, machineConfigPools{reader: look.cache, lookout: look, installed: r.MachineConfigPools, nodes: machines})
	return r.MachineConfigPools.whenSet(func() error {
		return look.watch(ctx, &mcfgv1.MachineConfigPool{}, handler.EnqueueRequestsFromMapFunc(r.all), predicate.And(
			onChange(func(obj client.Object) string { return digestOfPool(obj.(*mcfgv1.MachineConfigPool)) }),
			forgetDeleted(func(pool client.Object) *corev1.ObjectReference { return poolReference(pool.GetName()) })))
	})
}

// forgetDeleted drops what is shown of subjects that are gone; it filters nothing.
func forgetDeleted(subject func(client.Object) *corev1.ObjectReference) predicate.Predicate {
	return predicate.Funcs{DeleteFunc: func(e event.DeleteEvent) bool {
		measureSignal(Reading{Subject: subject(e.Object), Off: true})
		return true
	}}
}

// all maps to all MachineHealthChecks of our kind.
func (r *Reconciler) all(ctx context.Context, _ client.Object) []ctrl.Request {
	return r.requests(ctx, func(client.Object) bool { return true })
}

// ofNode maps a Node, or a Machine of OpenShift, to the MachineHealthChecks of its namespace that wait for Nodes, and to those that are not
// paused: it may have come into a pool that updates.
func (r *Reconciler) ofNode(ctx context.Context, obj client.Object) []ctrl.Request {
	namespace := obj.GetNamespace()
	if node, ok := obj.(*corev1.Node); ok {
		namespace, _, _ = strings.Cut(node.Annotations[machineOfNode], "/")
	}
	if namespace == "" {
		return nil // it belongs to no Machine
	}
	return r.requests(ctx, func(check client.Object) bool {
		return check.GetAnnotations()[SettlingAnnotation] != "" || holderOf(check.GetAnnotations()) != us
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
	return r.requests(ctx, func(check client.Object) bool {
		key, ok := clusterOf(check)
		return ok && key == cluster
	}, client.InNamespace(cluster.Namespace))
}

func (r *Reconciler) requests(ctx context.Context, keep func(client.Object) bool, in ...client.ListOption) []ctrl.Request {
	var checks metav1.PartialObjectMetadataList
	checks.SetGroupVersionKind(r.Kind.GroupVersion().WithKind(r.Kind.Kind + "List"))
	if err := r.Client.List(ctx, &checks, append(in, client.UnsafeDisableDeepCopy)...); err != nil {
		// Reading from the cache fails only while it stops.
		ctrl.LoggerFrom(ctx).Error(err, "Cannot find the MachineHealthChecks that an event concerns")
		return nil
	}
	var requests []ctrl.Request
	for i := range checks.Items {
		if keep(&checks.Items[i]) {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&checks.Items[i])})
		}
	}
	return requests
}

// checkChange drops events that cannot change a decision, such as those of status writes.
func checkChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return targets.MetadataChanged(e.ObjectOld, e.ObjectNew) ||
			!equality.Semantic.DeepEqual(e.ObjectOld.GetOwnerReferences(), e.ObjectNew.GetOwnerReferences())
	}}
}

// onChange keeps an update if the digest of the object, which is all of it that matters, has changed.
func onChange(digest func(client.Object) string) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return digest(e.ObjectOld) != digest(e.ObjectNew) }}
}

func digestOfCluster(obj client.Object) string {
	cluster := obj.(*clusterv1.Cluster)
	reason := ""
	if c := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterTopologyReconciledCondition); c != nil {
		reason = c.Reason
	}
	return fmt.Sprint(cluster.Annotations[OptionAnnotation], cluster.Spec.ControlPlaneRef, cluster.Spec.Topology.Version, reason,
		annotations.IsPaused(cluster, cluster))
}

// digestOf is what matters of the kinds that the lookout opens.
func digestOf(obj client.Object) string {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		target, err := controlPlaneTarget(o, &fleetState{})
		wanted, _, _ := unstructured.NestedString(o.Object, "spec", "version")
		return fmt.Sprint(wanted, target, err, annotations.HasPaused(o))
	case *clusterv1.MachineDeployment:
		cluster := &clusterv1.Cluster{}
		cluster.Name = o.Spec.ClusterName
		// It rolls out its version to whatever has another one.
		return fmt.Sprint(workersTarget(cluster, o, &fleetState{versions: map[string]int{"": 1}}), workersPaused(cluster, o))
	case *clusterv1.Machine:
		return fmt.Sprint(o.Labels, o.Annotations, o.Spec.Version, versionLeft(o), o.DeletionTimestamp.IsZero(),
			meta.IsStatusConditionTrue(o.Status.Conditions, clusterv1.MachineNodeReadyCondition))
	case *corev1.Node:
		return fmt.Sprint(o.Labels, o.Annotations[machineOfNode], isReady(o))
	}
	return fmt.Sprint(obj.GetLabels(), obj.GetDeletionTimestamp().IsZero())
}
