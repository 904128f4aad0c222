package machinehealthcheck

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// addController adds everything that a decision depends on as a watch, before the controller can run.
func (r *Reconciler) addController(mgr ctrl.Manager) error {
	ctl, err := scaffold.New(mgr, ControllerName, r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	r.watches.Cache, r.watches.Controller = mgr.GetCache(), ctl
	objects := mgr.GetCache()
	mhc, machine, cluster := client.Object(&clusterv1.MachineHealthCheck{}), client.Object(&clusterv1.Machine{}), client.Object(&clusterv1.Cluster{})
	if r.RecordsInstalled == nil || r.RecordsInstalled() {
		if err := r.RecordsAppeared(); err != nil {
			return err
		}
	}
	return scaffold.Add(mgr, ctl, ControllerName,
		// A change of one MachineHealthCheck can give Machines to another.
		source.Kind(objects, mhc, handler.EnqueueRequestsFromMapFunc(r.rivals), mhcspec.OutsideStatus()),
		source.Kind(objects, mhc, &handler.EnqueueRequestForObject{}, mhcspec.OutsideStatus()),
		source.Kind(objects, mhc, handler.EnqueueRequestsFromMapFunc(r.otherRivals), slots.AbilityChanged()),
		source.Kind(objects, machine, r.machineEvents(), relevantMachineChange()),
		source.Kind(objects, cluster, handler.EnqueueRequestsFromMapFunc(r.ofCluster), mhcspec.ClusterChange()),
	)
}

func (r *Reader) rivals(ctx context.Context, obj client.Object) []ctrl.Request {
	rivals, err := mhcspec.Rivals(ctx, r.Cache, obj.(*clusterv1.MachineHealthCheck))
	return scaffold.RequestsFor(ctx, rivals, err)
}

// otherRivals maps a MachineHealthCheck to those that may repair its machines in its place, or leave them to it.
func (r *Reader) otherRivals(ctx context.Context, obj client.Object) []ctrl.Request {
	return slices.DeleteFunc(r.rivals(ctx, obj), func(req ctrl.Request) bool { return req.NamespacedName == client.ObjectKeyFromObject(obj) })
}

func (r *Reader) ofCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	mhcs, err := mhcspec.MachineHealthChecksOf(ctx, r.Cache, client.ObjectKeyFromObject(cluster))
	return scaffold.RequestsFor(ctx, mhcs, err)
}

// gatherFor returns how long to collect events before a look: a fortieth of statusIntervalFor, 25 ms with 10,000 Machines. Such a look takes
// longer than that, and events that it misses have to wait for its end.
func gatherFor(machines int) time.Duration { return statusIntervalFor(machines) / 40 }

// machineEvents triggers the MachineHealthChecks that select a Machine, as soon as there may be something to do. Those of which
// only the numbers change, as when 10,000 Machines get their first verdict, are triggered as often as their status may be stored,
// since a look reads all of their Machines.
func (r *Reader) machineEvents() handler.EventHandler {
	atOnce := handler.EnqueueRequestsFromMapFunc(r.selecting)
	return handler.Funcs{
		CreateFunc: atOnce.Create, DeleteFunc: atOnce.Delete, GenericFunc: atOnce.Generic,
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
			before, after := e.ObjectOld.(*clusterv1.Machine), e.ObjectNew.(*clusterv1.Machine)
			concerned, wait := r.healthChecksSelecting(ctx, after), statusIntervalFor
			if !onlyCounts(before, after) {
				// It may have belonged to another one before.
				concerned, wait = append(concerned, r.healthChecksSelecting(ctx, before)...), gatherFor
			}
			for _, mhc := range concerned {
				queue.AddAfter(scaffold.RequestFor(mhc), wait(int(ptr.Deref(mhc.Status.ExpectedMachines, 0))))
			}
		},
	}
}

// onlyCounts reports whether a relevant change is only a verdict that admits nobody.
func onlyCounts(before, after *clusterv1.Machine) bool {
	stored := meta.FindStatusCondition(after.Status.Conditions, verdict.ConditionType)
	return stored != nil && stored.Status != metav1.ConditionFalse && !mhcspec.IdentityChanged(before, after)
}

func (r *Reader) selecting(ctx context.Context, obj client.Object) []ctrl.Request {
	return scaffold.RequestsFor(ctx, r.healthChecksSelecting(ctx, obj.(*clusterv1.Machine)), nil)
}

// healthChecksSelecting returns the MachineHealthChecks that select a Machine.
func (r *Reader) healthChecksSelecting(ctx context.Context, machine *clusterv1.Machine) []*clusterv1.MachineHealthCheck {
	mhcs := logged(ctx)(mhcspec.MachineHealthChecksFor(ctx, r.Cache, machine))
	return slices.DeleteFunc(mhcs, func(mhc *clusterv1.MachineHealthCheck) bool { return !r.Selectors.Matches(mhc, machine) })
}

// logged returns a function that logs the error of a lookup and returns what was found. Reading from the cache fails only during
// shutdown.
func logged(ctx context.Context) func([]*clusterv1.MachineHealthCheck, error) []*clusterv1.MachineHealthCheck {
	return func(mhcs []*clusterv1.MachineHealthCheck, err error) []*clusterv1.MachineHealthCheck {
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "Cannot find the MachineHealthChecks that an event concerns")
		}
		return mhcs
	}
}

// relevantMachineChange keeps the events that can change a decision: the verdict, and what selects or excludes a Machine.
func relevantMachineChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Machine), e.ObjectNew.(*clusterv1.Machine)
		was, is := verdict.Of(before), verdict.Of(after)
		// One of several MachineHealthChecks may find it sick, too, for the same reason.
		joined := is.Status == metav1.ConditionFalse && was.Message != is.Message
		return was.Status != is.Status || was.Reason != is.Reason || joined || mhcspec.IdentityChanged(before, after)
	}}
}
