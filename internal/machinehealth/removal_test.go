package machinehealth

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// mark sets OwnerRemediated=False under a field owner.
func (f *harness) mark(conditionType, fieldOwner string) {
	f.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": conditionType, "status": "False", "reason": "R", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
	}}}}}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	u.SetNamespace(f.machine.Namespace)
	u.SetName(f.machine.Name)
	if err := f.env.Client.Status().Apply(f.t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner)); err != nil {
		f.t.Fatal(err)
	}
}

// leaving are the ways a Machine ceases to be a target.
var leaving = map[string]func(f *harness){
	"MachineHealthCheck deleted": func(f *harness) { f.delete(f.mhc) },
	"MachineHealthCheck being deleted": func(f *harness) {
		change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { m.Finalizers = []string{"test.sickbay.dev/keep"} })
		f.delete(f.mhc)
	},
	"Machine leaves the selector": func(f *harness) {
		change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { build.Selector(map[string]string{"other": "1"})(m) })
	},
	"skip-remediation is added": func(f *harness) {
		change(f, f.machine, func(m *clusterv1.Machine) { build.Annotation("cluster.x-k8s.io/skip-remediation", "")(m) })
	},
}

func TestRemoval(t *testing.T) {
	for name, leave := range leaving {
		t.Run(name, func(t *testing.T) {
			removal(t, leave)
		})
	}
}

func removal(t *testing.T, leave func(*harness)) {
	t.Helper()
	f := newHarness(t)
	f.sicken()
	f.mark("Foreign", "somebody-else")
	leave(f)
	f.reconcile()
	expect.NoCondition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
	expect.Condition(t.Context(), t, f.env.Client, f.machine, "Foreign")

	version := f.version()
	f.reconcile()
	if got := f.version(); got != version {
		t.Errorf("resourceVersion went from %s to %s, want nothing more to remove", version, got)
	}
}

// TestClusterIsGone: the Cluster is gone before its Machines, and what we wrote is removed
// all the same.
func TestClusterIsGone(t *testing.T) {
	f := newHarness(t)
	f.sicken()
	f.delete(f.mhc)
	f.delete(f.cluster)
	f.reconcile()
	expect.NoCondition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
}
