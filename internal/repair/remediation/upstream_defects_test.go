package remediation

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// TestUpstreamDefect_StaleFalseIsNeverCleared (issue 13822): a verdict of False stood for ever if the request was gone before
// the Machine was healthy again.
func TestUpstreamDefect_StaleFalseIsNeverCleared(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byTemplate())
	f.template()
	a := f.sick("a", notJudged())
	f.judged(a)
	record := f.admit(a)
	f.reconcile(record)
	f.wantStanding("FixRemediation a")
	remove(f, &f.objects(fixKind)[0])
	f.nodes.Put(f.clusterKey(), build.Node("a"))
	f.judged(a)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Ended Ended Recovered request:Succeeded")
	if got := expect.Condition(t.Context(), t, f.env.Client, a, verdict.ConditionType); got.Status != metav1.ConditionTrue {
		t.Errorf("the verdict is %+v", got)
	}
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

// TestUpstreamDefect_NotFoundIsAnError (issue 9398): to mark a Machine that was just deleted was an error.
func TestUpstreamDefect_NotFoundIsAnError(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.freeze(record)
	remove(f, a)
	if _, err := f.tryReconcile(record); err != nil {
		t.Error(err)
	}
	f.restart()
	f.reconcile(record)
	// Whether the mark was made before the Machine went cannot be told.
	f.wantRecord(record, "Ended Ended Replaced replace:Succeeded")
}
