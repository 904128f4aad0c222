package remedy

import (
	"context"
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// MarkUnjudged asks the controller that owns a Machine to remediate it, whatever its verdict: a power cycle without a
// record has not helped, and the request may not be Sickbay's. It returns ErrChanged if anything about the Machine has
// changed since it was read.
func MarkUnjudged(ctx context.Context, c client.Client, machine *clusterv1.Machine, now time.Time) error {
	err := ownwrites.ApplyCondition(ctx, c, ownwrites.RebootMarkFieldOwner, machine, markFor(machine, now))
	if changed(err) {
		return fmt.Errorf("marking machine %s: %w: %w", client.ObjectKeyFromObject(machine), ErrChanged, err)
	}
	if err != nil {
		return fmt.Errorf("marking machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return nil
}
