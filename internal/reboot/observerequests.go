package reboot

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/record"
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

// notStored says that the MachineRemediation which made a RebootRemediation has not stored that; empty if it has, or if none made it.
//
// A MachineRemediation stores the UID of what an attempt has made once, and makes it again as long as it has not. So of all that an
// attempt may make, one is ever carried out: somebody may delete the others before they are seen, and nothing was done by them.
func (r *Reconciler) notStored(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) string {
	if !has(request, v1alpha1.OperationAnnotation) {
		return ""
	}
	all, err := record.LiveOfMachine(ctx, r.Live, request.Namespace, m.object.GetUID())
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		// Without the kind there is nobody to wait for.
		return ""
	}
	if err != nil {
		r.failed(request, readRecord, err)
		return "Sickbay cannot tell whether a MachineRemediation has stored that it made this"
	}
	r.failures.Succeed(client.ObjectKeyFromObject(request), readRecord)
	if slices.ContainsFunc(all, func(one v1alpha1.MachineRemediation) bool { return stores(&one, request) }) {
		return ""
	}
	return "Waits until a MachineRemediation has stored that it made this"
}

// stores reports whether a RebootRemediation is that of the attempt at work of a record.
func stores(one *v1alpha1.MachineRemediation, request *v1alpha1.RebootRemediation) bool {
	return slices.ContainsFunc(one.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		return a.EndTime == nil && a.ObjectRef != nil && a.ObjectRef.UID == request.UID
	})
}

// first reads the RebootRemediation of the name of a Machine, which a health check has asked for, or a person; nil if there is none.
func (t *Trigger) first(ctx context.Context, key client.ObjectKey) (*v1alpha1.RebootRemediation, error) {
	request := &v1alpha1.RebootRemediation{}
	err := t.Live.Get(ctx, key, request)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting RebootRemediation %s: %w", key, err)
	}
	return request, nil
}

// machine reads a Machine; nil if there is none.
func (t *Trigger) machine(ctx context.Context, reader client.Reader, key client.ObjectKey) (*metav1.PartialObjectMetadata, error) {
	machine := &metav1.PartialObjectMetadata{}
	machine.SetGroupVersionKind(t.Kind)
	err := reader.Get(ctx, key, machine)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting machine %s: %w", key, err)
	}
	return machine, nil
}

// requests reads, past the cache, what was made for annotations of a Machine. The version before gave it the name of the Machine.
func (t *Trigger) requests(ctx context.Context, machine *metav1.PartialObjectMetadata) ([]*v1alpha1.RebootRemediation, error) {
	var made []*v1alpha1.RebootRemediation
	for _, name := range append(RequestNames(machine, askedPurpose), machine.Name) {
		request, key := &v1alpha1.RebootRemediation{}, client.ObjectKey{Namespace: machine.Namespace, Name: name}
		err := t.Live.Get(ctx, key, request)
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("getting RebootRemediation %s: %w", key, err)
		}
		if err == nil && has(request, ByAnnotation) {
			made = append(made, request)
		}
	}
	return made, nil
}
