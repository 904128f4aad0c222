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

	"github.com/sickbay-dev/sickbay/internal/cachelist"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// HostsAppeared makes changes of hosts wake the Machines that they run. Call it after Appeared of the Observer's Hosts.
func (r *Reconciler) HostsAppeared(objects cache.Cache) error {
	return r.ctl.Watch(source.Kind(objects, client.Object(&metal3v1.BareMetalHost{}), handler.EnqueueRequestsFromMapFunc(r.machinesOfHost), relevantHostChange()))
}

// machinesOfHost maps a host to the Machine that it runs. At the start, each host causes an event.
func (r *Reconciler) machinesOfHost(ctx context.Context, host client.Object) []ctrl.Request {
	machines, err := r.Observer.Hosts.MachinesOf(ctx, host.(*metal3v1.BareMetalHost))
	return scaffold.RequestsFor(ctx, machines, err)
}

// MachinesOf returns the Machines that a host runs: one, or none. The caller must not change them.
func (h *Hosts) MachinesOf(ctx context.Context, host *metal3v1.BareMetalHost) ([]*clusterv1.Machine, error) {
	consumer := ConsumerOf(host)
	if consumer == "" {
		return nil, nil
	}
	return cachelist.List[*clusterv1.Machine](ctx, h.Client, &clusterv1.MachineList{}, host.Namespace, byConsumer, consumer)
}

// relevantHostChange drops events that cannot change a verdict.
func relevantHostChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*metal3v1.BareMetalHost), e.ObjectNew.(*metal3v1.BareMetalHost)
		return verdict.HostFactsOf(before) != verdict.HostFactsOf(after) || ConsumerOf(before) != ConsumerOf(after)
	}}
}
