package reboot

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// siblings reads the other RebootRemediations of the Machine, in the order in which they ended. Usually there are none. It reads live
// those that may have changed since the cache was updated.
func (r *Reconciler) siblings(ctx context.Context, request *v1alpha1.RebootRemediation) ([]v1alpha1.RebootRemediation, error) {
	var list v1alpha1.RebootRemediationList
	if err := r.Client.List(ctx, &list, client.InNamespace(request.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing RebootRemediations in %s: %w", request.Namespace, err)
	}
	var others []v1alpha1.RebootRemediation
	for i := range list.Items {
		other := &list.Items[i]
		if other.UID == request.UID || !IsCycle(other) || referenceOf(other) != referenceOf(request) {
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

// current returns a RebootRemediation as it is now; nil if it is gone. One that has ended and owes its Node nothing does not change
// any more, so the cache will do.
func (r *Reconciler) current(ctx context.Context, cached *v1alpha1.RebootRemediation) (*v1alpha1.RebootRemediation, error) {
	if cached.Status.Phase.Ended() && !cycle.OwesNode(&cached.Status) {
		return cached, nil
	}
	return scaffold.Find(ctx, r.Live, client.ObjectKeyFromObject(cached), &v1alpha1.RebootRemediation{})
}

// notStored says why to wait for the MachineRemediation that made a RebootRemediation to store it; empty if it has.
//
// A MachineRemediation stores only one UID per attempt, and makes the RebootRemediation again until it has stored one. So only one
// per attempt is ever carried out; if somebody deletes an unstored one, nothing has been done for it.
func (r *Reconciler) notStored(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) string {
	all, err := record.LiveOfMachine(ctx, r.Live, request.Namespace, m.object.GetUID())
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		// Without the kind there is nothing to wait for.
		return ""
	}
	if err != nil {
		r.reportFailure(request, readRecord, err)
		return "Sickbay cannot tell whether a MachineRemediation has stored that it made this"
	}
	r.failures.Succeed(client.ObjectKeyFromObject(request), readRecord)
	if slices.ContainsFunc(all, func(one *v1alpha1.MachineRemediation) bool { return stores(one, request) }) {
		return ""
	}
	return "Waiting until a MachineRemediation has stored that it made this RebootRemediation"
}

// stores reports whether a record has stored a RebootRemediation for its current attempt.
func stores(one *v1alpha1.MachineRemediation, request *v1alpha1.RebootRemediation) bool {
	return slices.ContainsFunc(one.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		return a.EndTime == nil && a.ObjectRef != nil && a.ObjectRef.UID == request.UID
	})
}
