package intake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
)

// requestsOf lists the RebootRemediations that ask for power cycles of a Machine, by their names. From a cache they are not copied: the caller must
// not change them.
func (r reader) requestsOf(ctx context.Context, from client.Reader, machine client.ObjectKey) ([]*v1alpha1.RebootRemediation, error) {
	var list v1alpha1.RebootRemediationList
	if err := from.List(ctx, &list, client.InNamespace(machine.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing RebootRemediations in %s: %w", machine.Namespace, err)
	}
	var requests []*v1alpha1.RebootRemediation
	for i := range list.Items {
		one := &list.Items[i]
		of := ask.MachineOf(one)
		if !one.Spec.RequestedBy.ForRecord() && one.DeletionTimestamp.IsZero() && of.Name == machine.Name && of.APIGroup == r.kind.Group {
			requests = append(requests, one)
		}
	}
	slices.SortFunc(requests, func(a, b *v1alpha1.RebootRemediation) int { return cmp.Compare(a.Name, b.Name) })
	return requests, nil
}

// tell writes what becomes of a request.
func (w writer) tell(ctx context.Context, d ask.Decision, now time.Time) error {
	request := d.Request.DeepCopy()
	request.Status.RecordRef, request.Status.ObservedGeneration = d.Record, request.Generation
	condition := d.Condition
	condition.LastTransitionTime = metav1.NewTime(now.Truncate(time.Second))
	meta.SetStatusCondition(&request.Status.Conditions, condition)
	conditions.SummarizeSuccess(&request.Status.Conditions, condition)
	if err := w.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("writing the status of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}
