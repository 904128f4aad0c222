package machinehealthcheck

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// observeFailures adds the machines that could not be admitted.
func (r *Reader) observeFailures(f *admission.Facts) {
	failed := r.memory.Failures(client.ObjectKeyFromObject(f.MachineHealthCheck), func(uid string) bool {
		return slices.ContainsFunc(f.Targets, func(t admission.Target) bool { return string(t.Machine.UID) == uid })
	})
	if len(failed) == 0 {
		return
	}
	f.Failures = map[types.UID]admission.Failure{}
	for uid, one := range failed {
		f.Failures[types.UID(uid)] = admission.Failure{Count: one.Count, RetryAt: one.RetryAt}
	}
}

// reportFailure records that a machine could not be admitted, and reports it once for each cause. It is retried after a pause.
func (r *Reconciler) reportFailure(ctx context.Context, f admission.Facts, machine *clusterv1.Machine, err error) {
	if r.memory.Fail(client.ObjectKeyFromObject(f.MachineHealthCheck), string(machine.UID), ownwrites.Cause(err), r.Clock.Now()) {
		ctrl.LoggerFrom(ctx).Error(err, "Machine cannot be admitted", "machine", machine.Name)
		r.event(f.MachineHealthCheck, machine, corev1.EventTypeWarning, EventAdmissionFailed, humanize.Upper(err.Error()))
	}
}

// mayBeWritten reports whether a failed write may have taken effect. It has not if the API server refused it, or has no such kind. Where the answer was
// lost, or is one that nobody knows, only time can tell.
func mayBeWritten(err error) bool {
	switch apierrors.ReasonForError(err) {
	case metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest, metav1.StatusReasonRequestEntityTooLarge, metav1.StatusReasonUnsupportedMediaType,
		metav1.StatusReasonNotAcceptable, metav1.StatusReasonMethodNotAllowed, metav1.StatusReasonUnauthorized, metav1.StatusReasonForbidden,
		metav1.StatusReasonNotFound, metav1.StatusReasonGone, metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict,
		metav1.StatusReasonTooManyRequests:
		return false
	default:
		return !meta.IsNoMatchError(err)
	}
}
