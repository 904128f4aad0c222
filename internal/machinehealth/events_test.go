package machinehealth

import (
	"strings"
	"testing"

	"k8s.io/client-go/tools/events"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// A Machine may have a hundred findings, and the API refuses an event with all of them.
func TestEventFitsTheAPI(t *testing.T) {
	recorder := events.NewFakeRecorder(1)
	r := &Reconciler{Recorder: recorder}
	r.onTransition(t.Context(), build.Machine("ns", "m"), healthcheck.Transition{
		To: healthcheck.Condition{Status: healthcheck.False, Message: strings.Repeat("Node condition X is False for more than 5m0s; ", 100)},
	})
	_, note, _ := strings.Cut(<-recorder.Events, EventUnhealthy+" ")
	if len(note) == 0 || len(note) > 1024 {
		t.Errorf("the note has %d bytes, the API takes 1024", len(note))
	}
}
