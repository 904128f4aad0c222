package cycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// A person switches the host off (spec.online) after its Node is back, and before it is Ready.
func TestPersonHoldsInRestoring(t *testing.T) {
	for _, phase := range []v1alpha1.Phase{v1alpha1.WaitingForNode, v1alpha1.Restoring} {
		f := in(phase, off, userOff)
		if phase != v1alpha1.WaitingForNode {
			setReady(f.Node.Node, corev1.ConditionUnknown, noon.Time)
		}
		f.Status = Decide(f, noon.Add(time.Minute)).Status
		f.Status = Decide(f, noon.Add(nodeTimeout+time.Hour)).Status
		if !f.Status.Phase.Ended() {
			continue
		}
		var did []Action
		for range 3 {
			d := Decide(f, noon.Add(nodeTimeout+2*time.Hour))
			did = append(did, d.Action)
			f.Host.Unhealthy = true
		}
		t.Errorf("%s: a person holds the host off, and it is %s, with %v", phase, f.Status.Phase, did)
	}
}
