package reboot

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// Trigger makes a RebootRemediation for each Machine of one kind that is annotated with reboot.metal3.io. What becomes
// of it, and of the annotations, is the Reconciler's business.
type Trigger struct {
	// Kind is that of the Machines.
	Kind   schema.GroupVersionKind
	Client client.Client
	// Live reads past the cache.
	Live client.Reader
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter must have.
	WatchFilter string
	Concurrency int
}

// Reconcile looks at one Machine.
func (t *Trigger) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cached, err := t.machine(ctx, t.Client, req.NamespacedName)
	if err != nil || !wantsAny(cached) {
		return ctrl.Result{}, err
	}
	k := keeper{filter: t.WatchFilter, kind: t.Kind, cached: t.Client, live: t.Live}
	foreign, err := k.foreign(ctx, req.NamespacedName, false)
	if err != nil || foreign {
		return ctrl.Result{}, err
	}
	before, err := t.requests(ctx, cached)
	if err != nil {
		return ctrl.Result{}, err
	}
	if slices.ContainsFunc(before, func(r *v1alpha1.RebootRemediation) bool { return !finished(r) }) {
		// It goes by the annotations as they are.
		return ctrl.Result{}, nil
	}
	first, err := t.first(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	// A cycle takes its annotations away before it is finished, which the cache may not know yet.
	machine, err := t.machine(ctx, t.Live, req.NamespacedName)
	if err != nil || !wantsAny(machine) || machine.UID != cached.UID || comesFirst(first, machine) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, t.begin(ctx, before, machine)
}

// comesFirst reports whether the annotations wait for a RebootRemediation that was made for something else. It may be all that a person has
// asked for, and then it takes the annotation away before it is finished. They do not wait for one that waits for a pause to end. What a
// health check asks for by annotation waits until another health check has deleted the one that has helped.
func comesFirst(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	if request == nil || has(request, ByAnnotation) || cycle.StandsBack(&request.Status) {
		return false
	}
	if request.Status.Phase != v1alpha1.Succeeded {
		return !request.Status.Phase.Ended()
	}
	_, steps := asked(machine)
	ofHealthChecks := len(steps) == 0 && remedy.RebootRequestedByHealthCheck(machine) && byHealthCheck(request, machine)
	return ofHealthChecks || !finished(request)
}

// lastOf returns the RebootRemediation after which the next one begins, nil if there is none, and the name that one may have. One that
// was deleted, and stays for its Node, is nothing to begin with: what it owes is taken over from it.
func lastOf(before []*v1alpha1.RebootRemediation, machine metav1.Object) (last *v1alpha1.RebootRemediation, free string) {
	names := RequestNames(machine, askedPurpose)
	for _, request := range before {
		names = slices.DeleteFunc(names, func(name string) bool { return name == request.Name })
		if last == nil && request.DeletionTimestamp.IsZero() {
			last = request
		}
	}
	if len(names) == 0 {
		return last, ""
	}
	return last, names[0]
}

// wantsAny reports whether a Machine asks for anything.
func wantsAny(machine *metav1.PartialObjectMetadata) bool {
	if machine == nil || !machine.DeletionTimestamp.IsZero() {
		return false
	}
	plain, steps := asked(machine)
	return plain || len(steps) > 0
}

// finished reports whether a RebootRemediation that was made for annotations is done with them.
func finished(request *v1alpha1.RebootRemediation) bool {
	return request.Status.Phase.Ended() && !controllerutil.ContainsFinalizer(request, Finalizer)
}

// repeated reports whether a record asks for an attempt once more that was carried out.
func repeated(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	operation, by := remedy.RebootOperation(machine), cycle.RequesterOf(&request.Spec, &request.Status)
	return operation != "" && by != nil && by.OperationID == operation
}

// owes reports whether a cycle that has ended owes the Node of a machine something, what it had or to be in service again, or its host.
func owes(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	return cycle.OwesAnything(&request.Status) && request.Status.MachineUID == machine.UID
}
