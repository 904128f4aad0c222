package reboot

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// IsCycle reports whether a RebootRemediation is a power cycle, for one attempt of a MachineRemediation; then it names its Machine. Any other
// only asks for a MachineRemediation.
func IsCycle(request *v1alpha1.RebootRemediation) bool {
	return request.Spec.RequestedBy.ForRecord() && request.Spec.Machine != nil
}

// isMine reports whether a RebootRemediation is a cycle of this Reconciler's kind of Machine, and of its manager.
func (r *Reconciler) isMine(request *v1alpha1.RebootRemediation) bool {
	return IsCycle(request) && request.Spec.Machine.APIGroup == r.Kind.Group && !r.foreign(request)
}

// foreign reports whether another manager looks after a cycle: that whose label its record has. A cycle that has begun and has no label is
// everybody's: the manager was given a filter later, and none without a filter should run beside it.
func (r *Reconciler) foreign(request *v1alpha1.RebootRemediation) bool {
	label := request.Labels[clusterv1.WatchLabel]
	return r.WatchFilter != "" && label != r.WatchFilter && (label != "" || !needsAttention(request))
}

// needsAttention reports whether a RebootRemediation has something to finish: it has finalizers, and has a host or was deleted.
func needsAttention(request *v1alpha1.RebootRemediation) bool {
	kept := controllerutil.ContainsFinalizer(request, cycle.Finalizer) || controllerutil.ContainsFinalizer(request, cycle.NodeFinalizer)
	return kept && (request.Status.Host != nil || !request.DeletionTimestamp.IsZero())
}

// factsOf returns the facts in the RebootRemediation itself.
func factsOf(request *v1alpha1.RebootRemediation) cycle.Facts {
	facts := cycle.Facts{
		UID: request.UID, Spec: request.Spec, Status: request.Status,
		Deleting:      !request.DeletionTimestamp.IsZero(),
		Finalizer:     controllerutil.ContainsFinalizer(request, cycle.Finalizer),
		NodeFinalizer: controllerutil.ContainsFinalizer(request, cycle.NodeFinalizer),
	}
	if facts.Deleting {
		facts.DeletingSince = request.DeletionTimestamp.Time
	}
	return facts
}

// request reads a RebootRemediation from the cache; nil if there is none.
func (r reader) request(ctx context.Context, key client.ObjectKey) (*v1alpha1.RebootRemediation, error) {
	return scaffold.Find(ctx, r.cached, key, &v1alpha1.RebootRemediation{})
}

// storeStatus writes the status of a RebootRemediation.
func (w writer) storeStatus(ctx context.Context, request *v1alpha1.RebootRemediation) error {
	request.Status.ObservedGeneration = request.Generation
	if err := w.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("writing the status of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

func (w writer) changeFinalizers(ctx context.Context, v observed, action cycle.Action) error {
	switch {
	case action == cycle.AddFinalizer:
		return w.setFinalizers(ctx, v.request, cycle.Finalizer, cycle.NodeFinalizer)
	case action == cycle.RemoveFinalizer && cycle.OwesAnything(&v.request.Status) && !v.facts.Machine.Gone:
		return w.setFinalizers(ctx, v.request, cycle.NodeFinalizer)
	}
	return w.setFinalizers(ctx, v.request)
}

// setFinalizers leaves a RebootRemediation only these of the finalizers that keep it for its host and for its Node.
func (w writer) setFinalizers(ctx context.Context, request *v1alpha1.RebootRemediation, want ...string) error {
	before := request.DeepCopy()
	for _, finalizer := range []string{cycle.Finalizer, cycle.NodeFinalizer} {
		switch {
		case !slices.Contains(want, finalizer):
			controllerutil.RemoveFinalizer(request, finalizer)
		case request.DeletionTimestamp.IsZero():
			// The API server refuses new finalizers on an object that is being deleted.
			controllerutil.AddFinalizer(request, finalizer)
		}
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	err := w.Patch(ctx, request, patch, client.FieldOwner(FieldOwner))
	if apierrors.IsNotFound(err) && !slices.Contains(want, cycle.Finalizer) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("changing the finalizers of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}
