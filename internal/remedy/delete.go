package remedy

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deletion deletes a Machine that nobody owns.
type deletion struct{ client client.Client }

func (d deletion) Apply(ctx context.Context, patient Patient) (string, error) {
	machine := patient.Machine
	// Bound to the very object that was just judged.
	judged := client.Preconditions{UID: &machine.UID, ResourceVersion: &machine.ResourceVersion}
	if err := d.client.Delete(ctx, machine, judged); err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("deleting machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return "deleted, since no controller owns it", nil
}
