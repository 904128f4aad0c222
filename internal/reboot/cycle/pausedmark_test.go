package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestMarkStaysAfterAPausedCluster simulates it to the end: somebody pauses the Cluster in the middle of a cycle. Its record takes its
// request back, and Cluster API's provider for Metal3 pauses the BareMetalHost. An hour later the pause ends, and the machine comes back.
func TestMarkStaysAfterAPausedCluster(t *testing.T) {
	w := newModel()
	w.t = t
	w.recordAsks()
	playUntil(t, w, v1alpha1.Isolating)
	happen("a pause")(w)
	happen("host is paused")(w)
	w.deleteRequest()
	w.goOn(time.Hour)
	happen("host is unpaused")(w)
	happen("the pause ends")(w)
	w.advance(time.Hour)
	w.goOn(4 * time.Hour)
	w.advance(time.Hour)
	if !w.iron.power || w.workload.node == nil || !Ready(w.workload.node) {
		t.Fatalf("the machine is not back: %+v", w.iron)
	}
	if w.host.unhealthy == probeOurs {
		t.Errorf("the host works, and is marked as unhealthy for ever; the request exists: %t, in phase %s", w.request.exists, w.request.status.Phase)
	}
}
