package reboot

import (
	"context"
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

func (r *Reconciler) markHost(ctx context.Context, host *metal3v1.BareMetalHost) error {
	changes := map[string]any{}
	for _, key := range cycle.UnhealthyKeys {
		changes[key] = cycle.UnhealthyByUs
	}
	return r.annotate(ctx, host, changes)
}

// unmarkHost takes our mark from a host, and leaves one of somebody else.
func (r *Reconciler) unmarkHost(ctx context.Context, host *metal3v1.BareMetalHost) error {
	changes := map[string]any{}
	for key, value := range host.Annotations {
		if slices.Contains(cycle.UnhealthyKeys, key) && value == cycle.UnhealthyByUs {
			changes[key] = nil
		}
	}
	return r.annotate(ctx, host, changes)
}
