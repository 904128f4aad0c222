package reboot

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// needsSiblings reports whether a decision goes by the other RebootRemediations of the Machine: whether a cycle may begin or go on,
// whether the owner may be asked, and whether one that has ended still has to look after the Node.
func needsSiblings(f *Facts) bool {
	switch f.Status.Phase {
	case v1alpha1.Pending, v1alpha1.CoolingDown, v1alpha1.Restoring, v1alpha1.WaitingForMachine:
		return true
	case v1alpha1.Failed:
		return f.Finalizer || settling(f)
	default:
		return settling(f)
	}
}

// settling reports whether a cycle that is over, one way or the other, is still to put the Node back in service.
func settling(f *Facts) bool {
	return !f.Finalizer && (f.Status.Phase.Ended() || f.Deleting) && owesNode(&f.Status)
}

// owesNode reports whether the Node is still to be put back in service.
func owesNode(status *v1alpha1.RebootRemediationStatus) bool {
	return status.Node != nil && status.Node.OutOfService
}

// siblings reads the other RebootRemediations of the Machine, in the order in which they ended. Mostly there are none. One that
// may have gone on since the cache was told is read live.
func (r *Reconciler) siblings(ctx context.Context, request *v1alpha1.RebootRemediation) ([]v1alpha1.RebootRemediation, error) {
	var list v1alpha1.RebootRemediationList
	if err := r.Client.List(ctx, &list, client.InNamespace(request.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing RebootRemediations in %s: %w", request.Namespace, err)
	}
	var others []v1alpha1.RebootRemediation
	for i := range list.Items {
		other := &list.Items[i]
		if other.UID == request.UID || referenceOf(other) != referenceOf(request) {
			continue
		}
		current, err := r.current(ctx, other)
		if err != nil {
			return nil, err
		}
		if current != nil {
			others = append(others, *current)
		}
	}
	slices.SortFunc(others, func(a, b v1alpha1.RebootRemediation) int {
		if a.Status.FinishedAt.Equal(b.Status.FinishedAt) {
			return cmp.Compare(a.Name, b.Name)
		}
		if a.Status.FinishedAt.Before(b.Status.FinishedAt) {
			return -1
		}
		return 1
	})
	return others, nil
}

// current returns a RebootRemediation as it is now; nil if it is gone. One that has ended and owes nothing stays as it is.
func (r *Reconciler) current(ctx context.Context, cached *v1alpha1.RebootRemediation) (*v1alpha1.RebootRemediation, error) {
	if cached.Status.Phase.Ended() && !owesNode(&cached.Status) {
		return cached, nil
	}
	live := &v1alpha1.RebootRemediation{}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(cached), live)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting RebootRemediation %s: %w", client.ObjectKeyFromObject(cached), err)
	}
	return live, nil
}
