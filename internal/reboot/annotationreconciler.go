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
)

// AnnotationReconciler makes a RebootRemediation for each Machine of one kind whose annotations ask for a power cycle. The Reconciler does the
// rest, and removes the annotations.
type AnnotationReconciler struct {
	// Kind is the kind of the Machines.
	Kind   schema.GroupVersionKind
	Client client.Client
	// Live reads past the cache.
	Live client.Reader
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter must have.
	WatchFilter string
	Concurrency int
}

// Reconcile checks the annotations of one Machine.
func (r *AnnotationReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cached, err := r.machine(ctx, r.Client, req.NamespacedName)
	if err == nil && shows(cached) {
		err = r.sweepSign(ctx, cached)
	}
	if err != nil || !wantsAny(cached) {
		return ctrl.Result{}, err
	}
	filter := watchFilter{value: r.WatchFilter, kind: r.Kind, cached: r.Client, live: r.Live}
	foreign, err := filter.foreign(ctx, req.NamespacedName, false)
	if err != nil || foreign {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.answer(ctx, cached)
}

// answer begins a cycle for the annotations of a Machine, unless one is under way.
func (r *AnnotationReconciler) answer(ctx context.Context, cached *metav1.PartialObjectMetadata) error {
	before, err := r.cyclesFor(ctx, cached)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(before, func(r *v1alpha1.RebootRemediation) bool { return !finished(r) }) {
		// That one reads the annotations itself.
		return nil
	}
	key := client.ObjectKeyFromObject(cached)
	first, err := r.first(ctx, key)
	if err != nil {
		return err
	}
	// A cycle removes its annotations before it is finished, and the cache may not show that yet.
	machine, err := r.machine(ctx, r.Live, key)
	if err != nil || !wantsAny(machine) || machine.UID != cached.UID || comesFirst(first) {
		return err
	}
	return r.begin(ctx, before, machine)
}

// comesFirst reports whether the annotations wait for the RebootRemediation with the Machine's name. It may be the very cycle that a person
// asked for; if it succeeds, it removes the annotation before it is finished. The annotations do not wait for one that waits for a pause to
// end.
func comesFirst(request *v1alpha1.RebootRemediation) bool {
	if request == nil || cycle.StandsBack(&request.Status) {
		return false
	}
	return !request.Status.Phase.Ended() || (request.Status.Phase == v1alpha1.Succeeded && !finished(request))
}

// lastOf returns the RebootRemediation that comes before the next one, or nil if there is none, and a free name for the next one. A deleted
// one that stays for its Node does not count as the last: the next cycle takes over what it owes.
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

// wantsAny reports whether the annotations of a Machine ask for a cycle or a step.
func wantsAny(machine *metav1.PartialObjectMetadata) bool {
	if machine == nil || !machine.DeletionTimestamp.IsZero() {
		return false
	}
	full, steps := wantedBy(machine)
	return full || len(steps) > 0
}

// finished reports whether a RebootRemediation that was made for annotations is done with them.
func finished(request *v1alpha1.RebootRemediation) bool {
	return request.Status.Phase.Ended() && !controllerutil.ContainsFinalizer(request, cycle.Finalizer)
}

// owes reports whether an ended cycle still owes something to a machine's Node, or has left its mark on the host.
func owes(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	return cycle.OwesAnything(&request.Status) && request.Status.MachineUID == machine.UID
}
