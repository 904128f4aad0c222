package reboot

import (
	"context"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// setKey keeps a host off and requests an answer from its operator, in one write.
func (w writer) setKey(ctx context.Context, host *metal3v1.BareMetalHost, request types.UID, probedAt time.Time) error {
	value, err := cycle.KeyValue(request, probedAt)
	if err != nil {
		return err
	}
	changes := map[string]any{cycle.KeyOf(request): value}
	if !mhcspec.HasAnnotation(host, cycle.ProbeKey) {
		// Somebody else's request works as well, and is not ours to change.
		changes[cycle.ProbeKey] = value
	}
	return w.annotate(ctx, host, changes)
}

// removeKey releases a host. It leaves other keys alone.
func (w writer) removeKey(ctx context.Context, host *metal3v1.BareMetalHost, request types.UID) error {
	changes := map[string]any{cycle.KeyOf(request): nil}
	if cycle.ProbeOf(host, request) {
		changes[cycle.ProbeKey] = nil
	}
	return w.annotate(ctx, host, changes)
}

// keySeen is since when this process has seen our key on a host. After a restart, it begins anew, which only makes the proof that a host is
// off longer.
type keySeen struct {
	host     types.UID
	keySince time.Time
	// since has the reading of the monotonic clock.
	since time.Time
}

// seenFor returns for how long this process has seen the key of a RebootRemediation in place. It has been there before the look began, and since
// the first look was over. A key that was lost, and one on another host, count anew.
func seenFor(memory *controllerstate.Memory[keySeen], request client.ObjectKey, host cycle.HostFacts, keySince *metav1.Time, began, over time.Time) time.Duration {
	if !host.Key || keySince == nil {
		memory.Set(request, keySeen{})
		return 0
	}
	seen := memory.Update(request, func(seen *keySeen) {
		if seen.host != host.UID || !seen.keySince.Equal(keySince.Time) {
			*seen = keySeen{host.UID, keySince.Time, over}
		}
	})
	return max(0, began.Sub(seen.since))
}
