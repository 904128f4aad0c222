package remedy

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DeleteMachine deletes a Machine that no controller owns, but no later one of the same
// name.
func DeleteMachine(ctx context.Context, c client.Client, machine *clusterv1.Machine) error {
	err := c.Delete(ctx, machine, client.Preconditions{UID: &machine.UID})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting machine %s: %w", client.ObjectKeyFromObject(machine), ErrChanged)
	}
	if err != nil {
		return fmt.Errorf("deleting machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return nil
}
