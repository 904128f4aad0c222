package machinehealth

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// setPhase stores a phase of the Machine, as Cluster API does.
func (f *harness) setPhase(phase string, since time.Time) {
	f.t.Helper()
	objects.ChangeStatus(f.t, f.env.Client, f.machine, func(m *clusterv1.Machine) { build.InPhase(phase, since)(m) })
}

// TestProvisioningTakesTooLong follows a Machine from the first look until it is unhealthy.
func TestProvisioningTakesTooLong(t *testing.T) {
	f := newHarness(t)
	change(f, f.mhc, func(mhc *clusterv1.MachineHealthCheck) {
		build.Annotation(mhcspec.ProvisioningTimeoutAnnotation, "5m")(mhc)
	})
	f.setPhase("Provisioning", f.start)
	if again := f.reconcile(); again != 5*time.Minute {
		t.Errorf("look again after %s, want 5m", again)
	}
	f.stored(metav1.ConditionUnknown, "WaitingForProvisioning", "Waiting for Machine to be provisioned")

	f.clock.SetTime(f.start.Add(5 * time.Minute))
	f.reconcile()
	f.stored(metav1.ConditionFalse, "MachineProvisioningTimedOut", "Machine is provisioning for more than 5m0s")
	f.sees("Warning MachineUnhealthy Machine is provisioning for more than 5m0s")

	f.setPhase("Running", f.start)
	f.reconcile()
	f.stored(metav1.ConditionTrue, "Succeeded", "")
}

// TestPhasesWakeTheController: a change of the phase wakes the controller, and so does a
// change of the timeout.
func TestPhasesWakeTheController(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t)
	f.manage()
	reason := func() string { return f.reason() }
	begun := f.machine.CreationTimestamp.Time // the manager uses the real clock, which is before f.start

	f.setPhase("Failed", begun)
	g.Eventually(reason, patience).Should(Equal(verdict.ReasonMachineFailed))
	f.setPhase("Provisioning", begun)
	g.Eventually(reason, patience).Should(BeEmpty())
	for timeout, want := range map[string]string{"1000h": verdict.ReasonWaitingForProvisioning, "1ns": verdict.ReasonMachineProvisioningTimedOut} {
		change(f, f.mhc, func(mhc *clusterv1.MachineHealthCheck) {
			build.Annotation(mhcspec.ProvisioningTimeoutAnnotation, timeout)(mhc)
		})
		g.Eventually(reason, patience).Should(Equal(want), "with the timeout %s", timeout)
	}
}
