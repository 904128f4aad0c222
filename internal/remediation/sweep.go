package remediation

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// sweep takes back what nobody has seen of a record that has ended: a former leader may have carried out its last attempt
// after another one ended it. Once the finalizer is off, nobody would look for that again.
func (r *Reconciler) sweep(ctx context.Context, ended *v1alpha1.MachineRemediation) error {
	if !mayHaveActed(ended) {
		return nil
	}
	for _, asked := range r.requests(ended) {
		if err := r.sweepRequest(ctx, asked); err != nil {
			return err
		}
	}
	return r.sweepMachine(ctx, ended)
}

// sweepRequest deletes a request that names the record.
func (r *Reconciler) sweepRequest(ctx context.Context, asked remedy.Asked) error {
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(asked.Kind())
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: asked.Record.Namespace, Name: asked.Name()}, found)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err), meta.IsNoMatchError(err):
		return nil
	case err != nil:
		return fmt.Errorf("getting %s %s: %w", asked.Kind().Kind, asked.Name(), err)
	case !strings.HasPrefix(found.Annotations[v1alpha1.OperationAnnotation], string(asked.Record.UID)+"/"), found.DeletionTimestamp != nil:
		return nil
	}
	r.swept(ctx, asked.Record, found.Kind)
	return remedy.WithdrawRequest(ctx, r.Client, found.Namespace, v1alpha1.RemediationObjectReference{
		APIVersion: found.APIVersion, Kind: found.Kind, Name: found.Name, UID: found.UID,
	})
}

// sweepMachine takes back what stands on the Machine itself. A mark does not say which record has made it, so it is left to
// another one that is open.
func (r *Reconciler) sweepMachine(ctx context.Context, ended *v1alpha1.MachineRemediation) error {
	machine, err := machineOf(ctx, r.Live, ended)
	if machine == nil || err != nil {
		return err
	}
	operation := machine.Annotations[remedy.RebootAnnotation]
	if strings.HasPrefix(operation, string(ended.UID)+"/") {
		r.swept(ctx, ended, remedy.RebootAnnotation)
		return remedy.WithdrawReboot(ctx, r.Client, machine)
	}
	if mark := markOf(machine); !mark.Ours || mark.State != ladder.MarkWaiting {
		return nil
	}
	all, err := record.LiveOfMachine(ctx, r.Live, ended.Namespace, machine.UID)
	if err != nil {
		return err
	}
	for i := range all {
		if !ladder.Ended(&all[i]) {
			return nil
		}
	}
	r.swept(ctx, ended, "mark")
	return remedy.WithdrawMark(ctx, r.Client, machine)
}

func (r *Reconciler) swept(ctx context.Context, ended *v1alpha1.MachineRemediation, what string) {
	ctrl.LoggerFrom(ctx).Info("Took back what an ended remediation has left", "machine", ended.Spec.MachineRef.Name, "what", what)
}

// mayHaveActed reports whether an act of a record may have been carried out that the record does not know of: the one it has
// intended last. The creation of a record with a slot is the intent for its first attempt.
func mayHaveActed(ended *v1alpha1.MachineRemediation) bool {
	if last := lastAttempt(ended); last != nil {
		return last.ObjectRef == nil && actionOf(ended, last) != v1alpha1.ActionWait
	}
	return ended.Spec.Grant > 0
}
