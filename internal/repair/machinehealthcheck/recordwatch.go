package machinehealthcheck

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// RecordsAppeared watches MachineRemediations, and triggers every MachineHealthCheck. Call it when their kind has been installed
// and the indexes of package recordstore exist. Further calls do nothing.
func (r *Reconciler) RecordsAppeared() error {
	return errors.Join(
		r.watches.BeginAs(v1alpha1.GroupVersion.WithKind("MachineRemediation"), &v1alpha1.MachineRemediation{}, r.recordEvents(), relevantRecordChange()),
		r.watches.BeginAs(mhcspec.PlanKind.WithVersion(v1alpha1.GroupVersion.Version), &v1alpha1.MachineRemediationTemplate{},
			handler.EnqueueRequestsFromMapFunc(r.usingTemplates(mhcspec.PlanKind)), predicate.GenerationChangedPredicate{}),
		// A new watch begins with all existing MachineHealthChecks. AddToManager watches their changes.
		r.watches.BeginAs(clusterv1.GroupVersion.WithKind("MachineHealthCheck"), &clusterv1.MachineHealthCheck{},
			&handler.EnqueueRequestForObject{}, comesOrGoes()),
	)
}

// recordEvents triggers the MachineHealthCheck that a record names, and those that select its machine. Since a look reads all
// machines, it waits a moment for more events. It waits longer after a new record: the reconciler that made it knows it already, and
// the repair should begin first.
func (r *Reader) recordEvents() handler.EventHandler {
	lookAfter := func(ctx context.Context, obj client.Object, queue workqueue.TypedRateLimitingInterface[ctrl.Request], wait func(machines int) time.Duration) {
		for req, machines := range r.ofRecord(ctx, obj.(*v1alpha1.MachineRemediation)) {
			queue.AddAfter(req, wait(machines))
		}
	}
	look := func(ctx context.Context, obj client.Object, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
		lookAfter(ctx, obj, queue, gatherFor)
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
			lookAfter(ctx, e.Object, queue, statusIntervalFor)
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
			if e.ObjectOld.(*v1alpha1.MachineRemediation).Status.ReplacementRef != nil {
				// The end of a record removes the reference.
				look(ctx, e.ObjectOld, queue)
			}
			look(ctx, e.ObjectNew, queue)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
			for req := range r.ofRecord(ctx, e.Object.(*v1alpha1.MachineRemediation)) {
				r.memory.Drop(req.NamespacedName, e.Object)
			}
			look(ctx, e.Object, queue)
		},
	}
}

// ofRecord returns the MachineHealthChecks that a record concerns, with the number of their machines. A repair slows others in its
// domain, whichever MachineHealthCheck selects them.
func (r *Reader) ofRecord(ctx context.Context, record *v1alpha1.MachineRemediation) map[ctrl.Request]int {
	all, machine, mhc := map[ctrl.Request]int{}, &clusterv1.Machine{}, &clusterv1.MachineHealthCheck{}
	add := func(concerned ...*clusterv1.MachineHealthCheck) {
		for _, mhc := range concerned {
			all[scaffold.RequestFor(mhc)] = int(ptr.Deref(mhc.Status.ExpectedMachines, 0))
		}
	}
	cluster := client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.ClusterName}
	named := client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.HealthCheckRef.Name}
	err := r.Cache.Get(ctx, named, mhc, client.UnsafeDisableDeepCopy)
	selects := err == nil && mhc.Spec.ClusterName == record.Spec.ClusterName
	if selects {
		add(mhc)
	}
	if !selects || record.Status.ReplacementRef != nil {
		// Another one may select the replacement that the record judges.
		add(logged(ctx)(mhcspec.MachineHealthChecksOf(ctx, r.Cache, cluster))...)
	}
	err = r.Cache.Get(ctx, client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.MachineRef.Name}, machine, client.UnsafeDisableDeepCopy)
	if err == nil && machine.UID == record.Spec.MachineRef.UID && mhcspec.IsTarget(machine) {
		add(r.healthChecksSelecting(ctx, machine)...)
	}
	for _, mhc := range logged(ctx)(mhcspec.MachineHealthChecksWith(ctx, r.Cache, mhcspec.PlanKind, cluster)) {
		if r.paces(ctx, mhc) {
			add(mhc)
		}
	}
	return all
}

// paces reports whether the plan of a MachineHealthCheck has pacing.
func (r *Reader) paces(ctx context.Context, mhc *clusterv1.MachineHealthCheck) bool {
	plan := &v1alpha1.MachineRemediationTemplate{}
	err := r.Cache.Get(ctx, mhcspec.PlanKey(mhc), plan, client.UnsafeDisableDeepCopy)
	return err == nil && plan.Spec.Template.Spec.Pacing != nil
}

// standing is the part of a record that an admission, or a message about it, can depend on.
type standing struct {
	ended, inFlight, wantsSlot, deleting bool
	// wantsAt is when it begins to want a slot; in seconds, as the API stores it.
	wantsAt int64
	// blocked is what the message says about it.
	blocked string
	// overdue reports that a deletion hangs, which takes no slot and lets others of its domain go on.
	overdue bool
}

func standingOf(r *v1alpha1.MachineRemediation) standing {
	s := standing{ended: ladder.Ended(r), inFlight: ladder.InFlight(r), deleting: !r.DeletionTimestamp.IsZero(), blocked: admission.Blocked(r, time.Time{})}
	s.overdue = ladder.DeletionOverdue(r)
	var at time.Time
	if s.wantsSlot, at = ladder.WantsSlot(r, time.Time{}); !at.IsZero() {
		s.wantsAt = at.Unix()
	}
	return s
}

// relevantRecordChange keeps the events that can change who is admitted.
func relevantRecordChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.MachineRemediation), e.ObjectNew.(*v1alpha1.MachineRemediation)
		return standingOf(before) != standingOf(after) || ladder.Fruitless(before) != ladder.Fruitless(after)
	}}
}
