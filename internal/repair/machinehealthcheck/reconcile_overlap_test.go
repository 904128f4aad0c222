package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

func named(name string) build.MachineHealthCheckOption {
	return build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.Name = name })
}

func disks(timeout time.Duration) build.MachineHealthCheckOption {
	return build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, timeout)
}

// TestOverlap: each counts what its own rules find, and what is repaired for another. The oldest that finds a Machine sick repairs it, and the others say so. All are created within
// one second here, so that the name decides.
func TestOverlap(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	broken := build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch)
	w.fitNode("a", metav1.ConditionTrue)
	a := w.machine(t, "a", build.NodeRef("a"), broken)
	b := w.machine(t, "b", build.NodeRef("b"), broken)
	w.healthy(t, "paused", build.Annotation(clusterv1.PausedAnnotation, ""))
	first := w.check(t, named("first"))
	second := w.check(t, named("second"), disks(time.Minute), byReboot())
	w.judges().judge(t, a, b)

	w.reconcile(t, first)
	w.wantAdmitted(t, "b: replace")
	w.reconcile(t, second)
	w.wantAdmitted(t, "a: reboot", "b: replace")
	for mhc, want := range map[*clusterv1.MachineHealthCheck]string{
		first:  "2 of 2 machines not healthy (1 sick, 1 undecided), no limit set",
		second: "2 of 2 machines not healthy (2 sick), no limit set; 1 is repaired for another MachineHealthCheck that selects it: b",
	} {
		w.reconcile(t, mhc)
		got := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed)
		if got.Message != want {
			t.Errorf("%s says %q, want %q", mhc.Name, got.Message, want)
		}
		expect.NoCondition(t.Context(), t, w.env.Client, mhc, admission.ConditionOverlapping)
	}
}

// TestOverlapNotHandedOver: a Machine that is selected for another controller, too, is left to that one.
func TestOverlapNotHandedOver(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.Policy.Adopt = mhcspec.AdoptHandedOver
	w.sick(t, "a")
	w.check(t, named("theirs"))
	ours := w.check(t, named("ours"), build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverValue))
	w.reconcile(t, ours)
	w.wantAdmitted(t)
	message := "Selected machines that another controller checks, for MachineHealthCheck theirs: a"
	expect.ConditionIs(t.Context(), t, w.env.Client, ours, metav1.Condition{
		Type: admission.ConditionOverlapping, Status: metav1.ConditionTrue, Reason: admission.ReasonNotHandedOver, ObservedGeneration: 1, Message: message,
	})
	if latest, _ := stored(t, w, ours); *latest.Status.ExpectedMachines != 0 {
		t.Errorf("it counts %d machines of another", *latest.Status.ExpectedMachines)
	}
	w.wantEvents(t, "Warning Overlapping "+message)
}
