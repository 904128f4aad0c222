package remediation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/fairqueue"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/repair/successor"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(ctx context.Context, mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Cache = cmp.Or(r.Cache, client.Reader(r.Client))
	r.Live = cmp.Or(r.Live, mgr.GetAPIReader())
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	r.Selectors = cmp.Or(r.Selectors, &mhcspec.Selectors{})
	if r.OpenShift {
		return r.addForOpenShift(ctx, mgr)
	}
	if err := metrics.AddWhileLeading(mgr, ControllerName, r.Metrics); err != nil {
		return err
	}
	check := &planCheck{client: r.Client, clock: r.Clock, rules: &r.rules}
	if err := check.addToManager(mgr); err != nil {
		return err
	}
	return r.addController(ctx, mgr)
}

// addController adds everything that a decision depends on as a watch, before the controller can run.
func (r *Reconciler) addController(ctx context.Context, mgr ctrl.Manager) error {
	place := fairqueue.ByCluster(mgr.GetCache(), func() *v1alpha1.MachineRemediation { return &v1alpha1.MachineRemediation{} },
		func(record *v1alpha1.MachineRemediation) (string, bool) {
			return record.Spec.ClusterName, r.putOff.has(record)
		})
	ctl, err := scaffold.New(mgr, ControllerName, r, r.Concurrency, r.queue.keep(fairqueue.New(place)))
	if err != nil {
		return err
	}
	objects := mgr.GetCache()
	return r.watch(ctx, mgr, ctl, ControllerName,
		source.Kind(objects, client.Object(&clusterv1.Machine{}), handler.EnqueueRequestsFromMapFunc(r.ofMachine), machineChange()),
		source.Kind(objects, client.Object(&clusterv1.MachineHealthCheck{}), handler.EnqueueRequestsFromMapFunc(r.ofHealthCheck), mhcspec.OutsideStatus()),
		source.Kind(objects, client.Object(&clusterv1.MachineHealthCheck{}), handler.EnqueueRequestsFromMapFunc(r.ofRival), slots.AbilityChanged()),
		source.Kind(objects, client.Object(&clusterv1.Cluster{}), handler.EnqueueRequestsFromMapFunc(r.ofCluster), mhcspec.ClusterChange()),
		source.Kind(objects, client.Object(&v1alpha1.MachineRemediationTemplate{}), handler.EnqueueRequestsFromMapFunc(r.ofPlan), mhcspec.OutsideStatus()),
	)
}

// watch has a controller watch the records, and what else its decisions depend on, and adds it to the manager.
func (r *Reconciler) watch(ctx context.Context, mgr ctrl.Manager, ctl controller.Controller, name string, more ...source.Source) error {
	objects := mgr.GetCache()
	r.watches.Cache, r.watches.Controller, r.watches.Mapper = objects, ctl, mgr.GetRESTMapper()
	if err := cacheCycles(ctx, objects); err != nil {
		return err
	}
	return scaffold.Add(mgr, ctl, name, append(more,
		source.Kind(objects, client.Object(&v1alpha1.MachineRemediation{}), &handler.EnqueueRequestForObject{}, mhcspec.OutsideStatus()),
		source.Kind(objects, client.Object(&v1alpha1.MachineRemediation{}), handler.EnqueueRequestsFromMapFunc(r.besideRecord), besideChange()),
	)...)
}

// cacheCycles starts the cache of RebootRemediations, if they are installed. Otherwise the first read would wait a second for it,
// and so would the first repair.
func cacheCycles(ctx context.Context, objects cache.Cache) error {
	_, err := objects.GetInformer(ctx, &v1alpha1.RebootRemediation{}, cache.BlockUntilSynced(false))
	if err != nil && !meta.IsNoMatchError(err) {
		return fmt.Errorf("caching RebootRemediations: %w", err)
	}
	return nil
}

// besideRecord maps a record to the other open ones of its machine: one waits for another, or makes room for it.
func (r *Reader) besideRecord(ctx context.Context, obj client.Object) []ctrl.Request {
	all, err := recordstore.OfMachine(ctx, r.Cache, obj.GetNamespace(), obj.(*v1alpha1.MachineRemediation).Spec.MachineRef.UID)
	others := slices.DeleteFunc(all, func(other *v1alpha1.MachineRemediation) bool { return other.UID == obj.GetUID() })
	return openAmong(ctx, others, err)
}

// besideChange keeps the events by which another record of the machine may go first, or need not wait any more.
func besideChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.MachineRemediation), e.ObjectNew.(*v1alpha1.MachineRemediation)
		return ladder.MayStand(before) != ladder.MayStand(after) || ladder.HasSlot(before) != ladder.HasSlot(after) || mhcspec.ChangedOutsideStatus(before, after)
	}}
}

// ofMachine maps a Machine to its open records, and to the one that waits for it as a replacement.
func (r *Reader) ofMachine(ctx context.Context, obj client.Object) []ctrl.Request {
	machine := obj.(*clusterv1.Machine)
	requests := r.openOf(ctx, machine.Namespace, machine.UID)
	for _, maker := range recordstore.MakersOf(machine) {
		waiting, err := recordstore.AwaitingOwner(ctx, r.Cache, machine.Namespace, maker)
		if err != nil || len(waiting) == 0 {
			requests = append(requests, openAmong(ctx, nil, err)...)
			continue
		}
		requests = append(requests, r.waitingFor(ctx, machine, maker)...)
	}
	return requests
}

// waitingFor returns the record that waits for a machine, among those that wait for its maker.
func (r *Reader) waitingFor(ctx context.Context, machine *clusterv1.Machine, maker recordstore.Maker) []ctrl.Request {
	machines, err := mhcspec.MachinesOf(ctx, r.Cache, mhcspec.ClusterOf(machine))
	if err != nil {
		return openAmong(ctx, nil, err)
	}
	all, err := recordstore.OfCluster(ctx, r.Cache, mhcspec.ClusterOf(machine))
	if err != nil {
		return openAmong(ctx, nil, err)
	}
	given := successor.OfOwner(maker, machines, all)
	for i := range all {
		next, ref := given[all[i].UID], all[i].Status.ReplacementRef
		if (next != nil && next.UID == machine.UID) || (ref != nil && recordstore.IsNameFor(ref.Name, machine.Name, machine.UID)) {
			return openAmong(ctx, all[i:i+1], nil)
		}
	}
	return nil
}

func (r *Reader) ofHealthCheck(ctx context.Context, obj client.Object) []ctrl.Request {
	mhc := obj.(*clusterv1.MachineHealthCheck)
	all, err := recordstore.OfCluster(ctx, r.Cache, client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName})
	return openAmong(ctx, all, err)
}

// ofRival maps a MachineHealthCheck to the open records of its Cluster, if another one may select its machines, too: one of them may come to lead.
func (r *Reader) ofRival(ctx context.Context, obj client.Object) []ctrl.Request {
	if rivals, err := mhcspec.Rivals(ctx, r.Cache, obj.(*clusterv1.MachineHealthCheck)); err == nil && len(rivals) < 2 {
		return nil
	}
	return r.ofHealthCheck(ctx, obj)
}

func (r *Reader) ofCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	all, err := recordstore.OfCluster(ctx, r.Cache, client.ObjectKeyFromObject(cluster))
	return openAmong(ctx, all, err)
}

// ofPlan maps a plan to the records of the clusters whose MachineHealthChecks name it: they stop while the plan is in mode Observe.
func (r *Reader) ofPlan(ctx context.Context, plan client.Object) []ctrl.Request {
	all, err := mhcspec.MachineHealthChecksUsing(ctx, r.Cache, mhcspec.PlanKind, client.ObjectKeyFromObject(plan))
	if err != nil {
		return openAmong(ctx, nil, err)
	}
	var requests []ctrl.Request
	for _, mhc := range all {
		requests = append(requests, r.ofHealthCheck(ctx, mhc)...)
	}
	return requests
}

// openAmong returns the requests to reconcile those records that have not ended.
func openAmong(ctx context.Context, all []*v1alpha1.MachineRemediation, err error) []ctrl.Request {
	var open []*v1alpha1.MachineRemediation
	for _, one := range all {
		if !ladder.Ended(one) {
			open = append(open, one)
		}
	}
	return scaffold.RequestsFor(ctx, open, err)
}

// machineChange keeps the events that can change the next step: the verdict, the owner's answer, and metadata.
func machineChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Machine), e.ObjectNew.(*clusterv1.Machine)
		for _, conditionType := range []string{verdict.ConditionType, clusterv1.MachineOwnerRemediatedCondition} {
			if said(before, conditionType) != said(after, conditionType) {
				return true
			}
		}
		return mhcspec.IdentityChanged(before, after)
	}}
}

// said is the content of a condition. Of a verdict that is True, only the status matters; one that is Unknown may rest on another of several
// MachineHealthChecks.
func said(machine *clusterv1.Machine, conditionType string) [3]string {
	c := conditions.Of(machine.Status.Conditions, conditionType)
	if conditionType == verdict.ConditionType && c.Status == metav1.ConditionTrue {
		return [3]string{string(c.Status)}
	}
	return [3]string{string(c.Status), c.Reason, c.Message}
}
