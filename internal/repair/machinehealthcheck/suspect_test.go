package machinehealthcheck

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// accused stores a Machine whose Node shows a sick GPU, and whose verdict says so.
func (w *harness) accused(t *testing.T, name string, also ...build.NodeOption) *clusterv1.Machine {
	t.Helper()
	gpu := build.Condition("GpuHealthy", metav1.ConditionFalse, "XidError", w.clock.Now().Add(-20*time.Minute))
	w.nodes.Put(client.ObjectKeyFromObject(w.cluster), build.Node(name, append(also, gpu)...))
	return w.machine(t, name, build.NodeRef(name), w.verdict(metav1.ConditionFalse))
}

func maxShare(percent int) build.Option {
	return build.Annotation(mhcspec.SignalsAnnotation, fmt.Sprintf("GpuHealthy: {maxShare: %d%%}", percent))
}

// TestManyNodesAtOnce: while too many Nodes show a condition, nothing is repaired for it, until a person says otherwise.
func TestManyNodesAtOnce(t *testing.T) {
	w := newHarness(t)
	mhc := w.check(t, maxShare(50), build.UnhealthyNodeCondition("GpuHealthy", corev1.ConditionFalse, 10*time.Minute),
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, 10*time.Minute))
	w.accused(t, "a")
	w.accused(t, "b")
	other := w.accused(t, "c", build.NodeReady(metav1.ConditionFalse, w.clock.Now().Add(-20*time.Minute)))
	w.healthy(t, "d")
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "c: replace")
	says := "GpuHealthy is False on 3 of 4 Nodes at once, more than 50%: its detector may be wrong; no machine is repaired for it until maxShare is raised or no Node shows it"
	trusted := metav1.Condition{Type: admission.ConditionSignalsTrusted, Status: metav1.ConditionFalse, Reason: admission.ReasonSignalSuspected, Message: says, ObservedGeneration: 1}
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, trusted)
	w.wantEvents(t, "Warning SignalSuspected "+says)

	// The last look before an act finds the same.
	g := w.gatekeeper()
	for machine, want := range map[*clusterv1.Machine]string{w.machines["a"]: says, other: ""} {
		health, err := w.Observer.Facts(t.Context(), machine, mhc, w.cluster, true)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.Suspected(t.Context(), mhc, w.cluster, health); got != want || err != nil {
			t.Errorf("%s: %q, %v", machine.Name, got, err)
		}
	}

	// One Node fewer is not none, also for a Reconciler that knows only what is stored.
	w.nodes.Put(client.ObjectKeyFromObject(w.cluster), build.Node("b"))
	objects.ChangeStatus(t, w.env.Client, w.machines["b"], func(m *clusterv1.Machine) { m.Status.Conditions = nil })
	w.restart(w.env.Client)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "c: replace")

	objects.Change(t, w.env.Client, mhc, func(mhc *clusterv1.MachineHealthCheck) { delete(mhc.Annotations, mhcspec.SignalsAnnotation) })
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace", "c: replace")
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, verdict.TrustConditionType)
}
