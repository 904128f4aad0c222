package remediation

import (
	"context"
	"fmt"
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// watchKind makes the requests of a kind trigger the records of their machines. A cache waits for ever for a kind that it may not
// list, so it asks the API server once before. Requests that cannot be watched are read with their record. A kind without templates is not
// watched: a plan must not make Sickbay watch all Leases by naming a LeaseTemplate.
func (r *Reader) watchKind(ctx context.Context, gvk schema.GroupVersionKind) error {
	if !r.watches.Lack(gvk) {
		return nil
	}
	_, err := r.watches.Mapper.RESTMapping(schema.GroupKind{Group: gvk.Group, Kind: gvk.Kind + clusterv1.TemplateSuffix}, gvk.Version)
	if err == nil {
		err = r.Live.List(ctx, scaffold.MetadataListOf(gvk), client.InNamespace(r.Namespace), client.Limit(1))
	}
	if meta.IsNoMatchError(err) || scaffold.Answered(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing %s: %w", gvk.Kind, err)
	}
	r.watches.Sync(ctx, gvk)
	return r.watches.Begin(gvk, handler.EnqueueRequestsFromMapFunc(r.ofRequest))
}

// ofRequest maps a request to the records that it may belong to: those of the Machine that owns it, or the record that owns it.
func (r *Reader) ofRequest(ctx context.Context, obj client.Object) []ctrl.Request {
	var requests []ctrl.Request
	for _, owner := range obj.GetOwnerReferences() {
		switch owner.Kind {
		case "Machine":
			requests = append(requests, r.openOf(ctx, obj.GetNamespace(), owner.UID)...)
		case "MachineRemediation":
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: obj.GetNamespace(), Name: owner.Name}})
		}
	}
	return append(requests, r.askedBy(ctx, obj)...)
}

// askedBy maps a RebootRemediation by which somebody asked to the record that was made of it.
func (r *Reader) askedBy(ctx context.Context, obj client.Object) []ctrl.Request {
	all, err := recordstore.Open(ctx, r.Cache)
	all = slices.DeleteFunc(slices.Clone(all), func(one *v1alpha1.MachineRemediation) bool {
		return one.Spec.RequestedBy == nil || one.Spec.RequestedBy.UID != obj.GetUID()
	})
	return openAmong(ctx, all, err)
}

// openOf returns the records of a machine that have not ended.
func (r *Reader) openOf(ctx context.Context, namespace string, machine types.UID) []ctrl.Request {
	all, err := recordstore.OfMachine(ctx, r.Cache, namespace, machine)
	return openAmong(ctx, all, err)
}

// watchHosts makes a host wake the record of its machine when somebody begins or ceases to keep it.
func (r *Reader) watchHosts() error {
	changed := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return cycle.KeptBy(e.ObjectOld.(*metal3v1.BareMetalHost), false) != cycle.KeptBy(e.ObjectNew.(*metal3v1.BareMetalHost), false)
	}}
	return r.watches.BeginAs(hostKind, &metal3v1.BareMetalHost{}, handler.EnqueueRequestsFromMapFunc(r.ofHost), changed)
}

// ofHost maps a host to the open records of the machine that it runs.
func (r *Reader) ofHost(ctx context.Context, obj client.Object) []ctrl.Request {
	machines, err := r.Observer.Hosts.MachinesOf(ctx, obj.(*metal3v1.BareMetalHost))
	requests := openAmong(ctx, nil, err)
	for _, machine := range machines {
		requests = append(requests, r.openOf(ctx, machine.Namespace, machine.UID)...)
	}
	return requests
}

// addForOpenShift adds the controller for the records of OpenShift's Machines. No event says that such a Machine has become healthy, or that its
// health check is not paused any more; it looks again every minute.
func (r *Reconciler) addForOpenShift(ctx context.Context, mgr ctrl.Manager) error {
	const name = ControllerName + "-openshift"
	ctl, err := scaffold.New(mgr, name, r, max(1, r.Concurrency), nil)
	if err != nil {
		return err
	}
	return r.watch(ctx, mgr, ctl, name, source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(openshift.Kind), handler.EnqueueRequestsFromMapFunc(r.ofMetadata)))
}

// ofMetadata maps a Machine to its open records.
func (r *Reader) ofMetadata(ctx context.Context, machine client.Object) []ctrl.Request {
	return r.openOf(ctx, machine.GetNamespace(), machine.GetUID())
}
