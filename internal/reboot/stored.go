package reboot

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/record"
)

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
		return "Whether a MachineRemediation has stored that it made this cannot be told"
	}
	r.told.forget(client.ObjectKeyFromObject(request), readRecord)
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
