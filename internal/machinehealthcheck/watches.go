package machinehealthcheck

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// addController adds everything that a decision depends on as a watch, before the
// controller can run.
func (r *Reconciler) addController(mgr ctrl.Manager) error {
	options := controller.Options{
		Reconciler: r, MaxConcurrentReconciles: r.Concurrency, Logger: mgr.GetLogger(),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](5*time.Millisecond, 30*time.Second),
	}
	options.DefaultFromConfig(mgr.GetControllerOptions())
	ctl, err := controller.NewUnmanaged(ControllerName, options)
	if err != nil {
		return fmt.Errorf("making controller %s: %w", ControllerName, err)
	}
	r.kinds.cache, r.kinds.ctl = mgr.GetCache(), ctl
	objects := mgr.GetCache()
	mhc, machine, cluster := client.Object(&clusterv1.MachineHealthCheck{}), client.Object(&clusterv1.Machine{}), client.Object(&clusterv1.Cluster{})
	for _, src := range []source.Source{
		// A change of one MachineHealthCheck can give Machines to another.
		source.Kind(objects, mhc, handler.EnqueueRequestsFromMapFunc(r.siblings), specChange()),
		source.Kind(objects, mhc, &handler.EnqueueRequestForObject{}, specChange()),
		source.Kind(objects, machine, handler.EnqueueRequestsFromMapFunc(r.selecting), relevantMachineChange()),
		source.Kind(objects, cluster, handler.EnqueueRequestsFromMapFunc(r.ofCluster), pauseChange()),
	} {
		if err := ctl.Watch(src); err != nil {
			return fmt.Errorf("adding the watches of %s: %w", ControllerName, err)
		}
	}
	return mgr.Add(ctl)
}

func (r *Reconciler) siblings(ctx context.Context, obj client.Object) []ctrl.Request {
	mhc := obj.(*clusterv1.MachineHealthCheck)
	return r.list(ctx, client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}, func(*clusterv1.MachineHealthCheck) bool { return true })
}

func (r *Reconciler) ofCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	return r.list(ctx, client.ObjectKeyFromObject(cluster), func(*clusterv1.MachineHealthCheck) bool { return true })
}

func (r *Reconciler) selecting(ctx context.Context, obj client.Object) []ctrl.Request {
	machine := obj.(*clusterv1.Machine)
	return r.list(ctx, targets.ClusterOf(machine), func(mhc *clusterv1.MachineHealthCheck) bool { return r.Selectors.Matches(mhc, machine) })
}

func (r *Reconciler) list(ctx context.Context, cluster client.ObjectKey, keep func(*clusterv1.MachineHealthCheck) bool) []ctrl.Request {
	mhcs, err := targets.MachineHealthChecksOf(ctx, r.Client, cluster)
	if err != nil {
		// Reading from the cache fails only while it stops.
		ctrl.LoggerFrom(ctx).Error(err, "Cannot find the MachineHealthChecks that an event concerns")
		return nil
	}
	var requests []ctrl.Request
	for _, mhc := range mhcs {
		if keep(mhc) {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(mhc)})
		}
	}
	return requests
}

// specChange drops the events that our own status writes cause.
func specChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return targets.MetadataChanged(e.ObjectOld, e.ObjectNew) }}
}

// relevantMachineChange keeps the events that can change a decision: the verdict,
// the mark for the owner, and what selects or excludes a Machine.
func relevantMachineChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Machine), e.ObjectNew.(*clusterv1.Machine)
		for _, conditionType := range []string{machinehealth.ConditionType, clusterv1.MachineOwnerRemediatedCondition} {
			if state(before.Status.Conditions, conditionType) != state(after.Status.Conditions, conditionType) {
				return true
			}
		}
		return targets.MetadataChanged(before, after) || !equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences)
	}}
}

func pauseChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Cluster), e.ObjectNew.(*clusterv1.Cluster)
		return !equality.Semantic.DeepEqual(before.Spec.Paused, after.Spec.Paused)
	}}
}

func state(conditions []metav1.Condition, conditionType string) string {
	if c := meta.FindStatusCondition(conditions, conditionType); c != nil {
		return string(c.Status) + c.Reason
	}
	return ""
}
