package reboot

import (
	"context"
	"fmt"
	"slices"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

func (r *Reconciler) actOnHost(ctx context.Context, host *metal3v1.BareMetalHost, request types.UID, d cycle.Decision) error {
	switch d.Action {
	case cycle.SetKey:
		return r.setKey(ctx, host, request, d.ProbedAt)
	case cycle.MarkHost:
		return r.markHost(ctx, host)
	case cycle.UnmarkHost:
		return r.unmarkHost(ctx, host)
	default:
		return r.removeKey(ctx, host, request)
	}
}

// setKey keeps a host off and requests an answer from its operator, in one write.
func (r *Reconciler) setKey(ctx context.Context, host *metal3v1.BareMetalHost, request types.UID, probedAt time.Time) error {
	value, err := cycle.KeyValue(request, probedAt)
	if err != nil {
		return err
	}
	changes := map[string]any{cycle.KeyOf(request): value}
	if !mhcspec.HasAnnotation(host, cycle.ProbeKey) {
		// Somebody else's request works as well, and is not ours to change.
		changes[cycle.ProbeKey] = value
	}
	return r.annotate(ctx, host, changes)
}

// removeKey releases a host. It leaves other keys alone.
func (r *Reconciler) removeKey(ctx context.Context, host *metal3v1.BareMetalHost, request types.UID) error {
	changes := map[string]any{cycle.KeyOf(request): nil}
	if cycle.ProbeOf(host, request) {
		changes[cycle.ProbeKey] = nil
	}
	return r.annotate(ctx, host, changes)
}

// annotate changes annotations of an object, if it has not changed since it was read.
func (r *Reconciler) annotate(ctx context.Context, obj client.Object, changes map[string]any) error {
	if err := r.Client.Patch(ctx, obj, ownwrites.Annotations(obj, changes), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating %T %s: %w", obj, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

func (r *Reconciler) markHost(ctx context.Context, host *metal3v1.BareMetalHost) error {
	changes := map[string]any{}
	for _, key := range cycle.UnhealthyKeys {
		changes[key] = cycle.UnhealthyByUs
	}
	return r.annotate(ctx, host, changes)
}

// unmarkHost removes our mark from a host, and leaves other marks alone.
func (r *Reconciler) unmarkHost(ctx context.Context, host *metal3v1.BareMetalHost) error {
	changes := map[string]any{}
	for key, value := range host.Annotations {
		if slices.Contains(cycle.UnhealthyKeys, key) && value == cycle.UnhealthyByUs {
			changes[key] = nil
		}
	}
	return r.annotate(ctx, host, changes)
}
