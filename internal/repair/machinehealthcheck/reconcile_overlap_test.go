package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestOverlap: the oldest, then the first by name, has the Machine; the others say so, and take over
// when it goes. All are created within one second here, so that the name decides.
func TestOverlap(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.healthy(t, "b")
	w.healthy(t, "paused", build.Annotation(clusterv1.PausedAnnotation, ""))
	first := w.check(t, build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.Name = "first" }))
	second := w.check(t, build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.Name = "second" }))

	w.reconcile(t, second)
	w.wantAdmitted(t)
	message := "Selected machines that belong to an older MachineHealthCheck: first: a, b"
	expect.ConditionIs(t.Context(), t, w.env.Client, second, metav1.Condition{
		Type: admission.ConditionOverlapping, Status: metav1.ConditionTrue, Reason: admission.ReasonSelectedByOlder, ObservedGeneration: 1, Message: message,
	})
	if latest, _ := stored(t, w, second); *latest.Status.ExpectedMachines != 0 {
		t.Errorf("it counts %d machines of another", *latest.Status.ExpectedMachines)
	}
	w.wantEvents(t, "Warning Overlapping "+message)

	w.reconcile(t, first)
	w.wantAdmitted(t, "a: replace")
	expect.NoCondition(t.Context(), t, w.env.Client, first, admission.ConditionOverlapping)

	remove(t, w, first)
	w.reconcile(t, second)
	expect.NoCondition(t.Context(), t, w.env.Client, second, admission.ConditionOverlapping)
	if latest, _ := stored(t, w, second); *latest.Status.ExpectedMachines != 2 {
		t.Errorf("it counts %d machines, want both", *latest.Status.ExpectedMachines)
	}
}
