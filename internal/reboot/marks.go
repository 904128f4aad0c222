package reboot

import (
	"context"
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// markHost keeps Metal3 from choosing a host for another machine.
func (w writer) markHost(ctx context.Context, host *metal3v1.BareMetalHost) error {
	changes := map[string]any{}
	for _, key := range cycle.UnhealthyKeys {
		changes[key] = cycle.UnhealthyByUs
	}
	return w.annotate(ctx, host, changes)
}

// marked reports whether a host has our mark.
func marked(host *metal3v1.BareMetalHost) bool {
	return slices.ContainsFunc(cycle.UnhealthyKeys, func(key string) bool { return host.Annotations[key] == cycle.UnhealthyByUs })
}

// unmarkHost removes our mark from a host, and leaves other marks alone.
func (w writer) unmarkHost(ctx context.Context, host *metal3v1.BareMetalHost) error {
	changes := map[string]any{}
	for key, value := range host.Annotations {
		if slices.Contains(cycle.UnhealthyKeys, key) && value == cycle.UnhealthyByUs {
			changes[key] = nil
		}
	}
	return w.annotate(ctx, host, changes)
}
