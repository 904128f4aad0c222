package machinehealthcheck

import (
	"errors"
	"testing"

	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestFailureIsToldOnceWhateverTheLocalPort: each try has another connection, and the cause is the same.
func TestFailureIsToldOnceWhateverTheLocalPort(t *testing.T) {
	recorder := events.NewFakeRecorder(20)
	r := &Reconciler{Recorder: recorder, Reader: Reader{Reader: slots.Reader{Clock: clocktesting.NewFakePassiveClock(build.Epoch)}}}
	f := admission.Facts{MachineHealthCheck: build.MachineHealthCheck("ns", "mhc")}
	machine := build.Machine("ns", "a", build.UID("a"))
	for _, text := range []string{
		"read tcp 192.0.2.1:40001->192.0.2.2:6443: connection reset by peer", "read tcp 192.0.2.1:40002->192.0.2.2:6443: connection reset by peer",
	} {
		r.reportFailure(t.Context(), f, machine, errors.New(text))
	}
	if n := len(recorder.Events); n != 1 {
		t.Errorf("there are %d events, want 1", n)
	}
}
