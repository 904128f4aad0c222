package reboot

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

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
	if cached.Status.Phase.Ended() && !cycle.OwesNode(&cached.Status) {
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
