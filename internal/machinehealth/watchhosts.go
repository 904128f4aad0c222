package machinehealth

import (
	"context"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
)

// HostsAppeared has hosts wake up the Machines that they run. It is called after the Hosts of the Observer have Appeared.
func (r *Reconciler) HostsAppeared(objects cache.Cache) error {
	return r.ctl.Watch(source.Kind(objects, client.Object(&metal3v1.BareMetalHost{}), handler.EnqueueRequestsFromMapFunc(r.machinesOfHost), relevantHostChange()))
}

// machinesOfHost is the Machine that a host runs. At a start each host has news.
func (r *Reconciler) machinesOfHost(ctx context.Context, host client.Object) []ctrl.Request {
	consumer := ConsumerOf(host.(*metal3v1.BareMetalHost))
	if consumer == "" {
		return nil
	}
	var list clusterv1.MachineList
	err := r.Client.List(ctx, &list, client.InNamespace(host.GetNamespace()), client.MatchingFields{byConsumer: consumer}, client.UnsafeDisableDeepCopy)
	return toRequests(ctx, list.Items, err)
}

// relevantHostChange drops the events that cannot change a verdict.
func relevantHostChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*metal3v1.BareMetalHost), e.ObjectNew.(*metal3v1.BareMetalHost)
		return verdict.HostFactsOf(before) != verdict.HostFactsOf(after) || ConsumerOf(before) != ConsumerOf(after)
	}}
}
