package remediation

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// What Cluster API's own controller gets wrong while a repair is under way, and Sickbay does not.

// judged has machinehealth look at a Machine, with what it needs to write its own verdict.
func (f *harness) judged(machine *clusterv1.Machine) {
	f.t.Helper()
	judge := &machinehealth.Reconciler{Client: f.Client, Observer: f.Observer, Selectors: f.Selectors, Recorder: f.recorder, Clock: f.clock}
	if _, err := judge.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(machine)}); err != nil {
		f.t.Fatal(err)
	}
}

// notJudged is a Machine without the verdict that the other tests give it.
func notJudged() build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) { m.Status.Conditions = m.Status.Conditions[:2] })
}

// TestUpstreamDefect_ConditionsLeftBehind: with the MachineHealthCheck gone, verdicts and marks stayed, and owners act on them.
func TestUpstreamDefect_ConditionsLeftBehind(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a", notJudged())
	f.judged(a)
	record := f.admit(a)
	f.reconcile(record)
	f.wantStanding("a: mark")
	remove(f, f.mhc)
	f.reconcile(record)
	f.judged(a)
	f.reconcile(record)
	f.wantRecord(record, handedBack+" replace:NotBegun")
	for _, condition := range []string{verdict.ConditionType, clusterv1.MachineOwnerRemediatedCondition} {
		expect.NoCondition(t.Context(), t, f.env.Client, a, condition)
	}
}
