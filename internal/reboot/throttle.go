package reboot

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// throttled says why a machine has to wait for its turn. Of the control plane of a cluster one machine is cycled
// at a time, or it would lose its quorum; how many others are is up to whoever asks. What is going on is read past
// the cache, and r.turn keeps two from being let in at once.
func (r *Reconciler) throttled(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (string, error) {
	if m == nil || !m.controlPlane {
		return "", nil
	}
	var list v1alpha1.RebootRemediationList
	if err := r.Live.List(ctx, &list, client.InNamespace(request.Namespace)); err != nil {
		return "", fmt.Errorf("listing RebootRemediations in %s: %w", request.Namespace, err)
	}
	for i := range list.Items {
		other := &list.Items[i]
		if other.UID == request.UID || !inCycle(other.Status.Phase) {
			continue
		}
		rival, err := r.machine(ctx, other)
		if err != nil {
			return "", err
		}
		if rival == nil || (rival.controlPlane && rival.cluster == m.cluster) {
			return fmt.Sprintf("Waits for %s: of a control plane one machine is cycled at a time", other.Name), nil
		}
	}
	return "", nil
}

// inCycle tells whether a machine is, or may be, out of service by our doing.
func inCycle(phase v1alpha1.Phase) bool {
	return phase != "" && phase != v1alpha1.Pending && !phase.Ended()
}
