package machinehealth

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

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

// TestEventSaysWhichStageHangs: the verdict's message is a contract; the event adds what the Machine says about a start that hangs.
func TestEventSaysWhichStageHangs(t *testing.T) {
	const said = "Node failed to start within 10m0s"
	noHost := build.MachineFunc(func(m *clusterv1.Machine) {
		m.Status.Conditions = []metav1.Condition{{Type: "InfrastructureReady", Status: "False", Reason: "NotReady", Message: "Failed to find an available BareMetalHost"}}
	})
	for want, machine := range map[string]*clusterv1.Machine{
		said + ". InfrastructureReady is False: Failed to find an available BareMetalHost": build.Machine("ns", "m", noHost),
		said: build.Machine("ns", "m", noHost, build.NodeRef("n")),
	} {
		recorder := events.NewFakeRecorder(1)
		r := &Reconciler{Recorder: recorder}
		r.onTransition(t.Context(), machine, healthcheck.Transition{To: healthcheck.Condition{Status: healthcheck.False, Message: said}})
		if _, note, _ := strings.Cut(<-recorder.Events, EventUnhealthy+" "); note != want {
			t.Errorf("the event says %q, want %q", note, want)
		}
	}
}
