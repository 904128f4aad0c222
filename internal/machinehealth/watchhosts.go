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
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/uncopied"
)

// HostsAppeared makes changes of hosts wake the Machines that they run. Call it after Appeared of the Observer's Hosts.
func (r *Reconciler) HostsAppeared(objects cache.Cache) error {
	return r.ctl.Watch(source.Kind(objects, client.Object(&metal3v1.BareMetalHost{}), handler.EnqueueRequestsFromMapFunc(r.machinesOfHost), relevantHostChange()))
}

// machinesOfHost maps a host to the Machine that it runs. At the start, each host causes an event.
func (r *Reconciler) machinesOfHost(ctx context.Context, host client.Object) []ctrl.Request {
	consumer := ConsumerOf(host.(*metal3v1.BareMetalHost))
	if consumer == "" {
		return nil
	}
	machines, err := uncopied.List[*clusterv1.Machine](ctx, r.Client, &clusterv1.MachineList{}, host.GetNamespace(), byConsumer, consumer)
	return scaffold.RequestsFor(ctx, machines, err)
}

// relevantHostChange drops events that cannot change a verdict.
func relevantHostChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*metal3v1.BareMetalHost), e.ObjectNew.(*metal3v1.BareMetalHost)
		return verdict.HostFactsOf(before) != verdict.HostFactsOf(after) || ConsumerOf(before) != ConsumerOf(after)
	}}
}
