package remediation

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// FieldOwner is the field manager of writes to records.
const FieldOwner = ownwrites.RemediationFieldOwner

// writer writes records, and decides nothing. What is written on machines, and for them, stands in package remedy.
type writer struct{ client client.Client }

// close removes the finalizer and the label of open records in one write.
func (w writer) close(ctx context.Context, record *v1alpha1.MachineRemediation) error {
	key := client.ObjectKeyFromObject(record)
	finalizers := slices.DeleteFunc(slices.Clone(record.Finalizers), func(f string) bool { return f == v1alpha1.RemediationFinalizer })
	patch := ownwrites.MergePatch{Of: record, Metadata: map[string]any{
		"finalizers": finalizers, "labels": map[string]any{v1alpha1.OpenLabel: nil},
	}}
	// Decode the answer into an empty object: fields that it lacks would otherwise keep their values.
	closed := &v1alpha1.MachineRemediation{}
	closed.Namespace, closed.Name = key.Namespace, key.Name
	if err := w.client.Patch(ctx, closed, patch, client.FieldOwner(FieldOwner)); err != nil {
		return stale(fmt.Errorf("closing MachineRemediation %s: %w", key, err))
	}
	*record = *closed
	return nil
}

// status writes the status of a record, if it is as it was read.
func (w writer) status(ctx context.Context, record *v1alpha1.MachineRemediation) error {
	if err := w.client.Status().Update(ctx, record, client.FieldOwner(FieldOwner)); err != nil {
		return stale(fmt.Errorf("writing the status of MachineRemediation %s: %w", client.ObjectKeyFromObject(record), err))
	}
	return nil
}

// delete deletes a record if it is unchanged.
func (w writer) delete(ctx context.Context, record *v1alpha1.MachineRemediation) error {
	bound := client.Preconditions{UID: &record.UID, ResourceVersion: &record.ResourceVersion}
	err := w.client.Delete(ctx, record.DeepCopy(), bound)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deleting MachineRemediation %s: %w", client.ObjectKeyFromObject(record), err)
	}
	return nil
}
