package machinehealth

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// TestSkippedUnderAPause: a person who has a Machine skipped need not wait for the end of a pause of its MachineHealthCheck.
func TestSkippedUnderAPause(t *testing.T) {
	f := newHarness(t)
	f.sicken()
	pauses["MachineHealthCheck"](f)
	leaving["skip-remediation is added"](f)
	f.reconcile()
	expect.NoCondition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
}

// TestForeignConditionsStay: if no MachineHealthCheck selects the Machine, other people's
// conditions stay: they are not ours to remove.
func TestForeignConditionsStay(t *testing.T) {
	for name, leave := range leaving {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			f.mark("HealthCheckSucceeded", "somebody-else")
			f.mark("OwnerRemediated", "somebody-other")
			leave(f)
			version := f.version()
			f.reconcile()
			if got := f.version(); got != version {
				t.Errorf("resourceVersion went from %s to %s, want no write", version, got)
			}
		})
	}
}

// TestMarkOfTheOwnerStays: removing a verdict leaves the mark for the machine's owner alone.
func TestMarkOfTheOwnerStays(t *testing.T) {
	f := newHarness(t)
	f.sicken()
	f.mark("OwnerRemediated", "somebody-else")
	f.delete(f.mhc)
	f.reconcile()
	expect.NoCondition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
	expect.Condition(t.Context(), t, f.env.Client, f.machine, "OwnerRemediated")
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

// TestAdoptionOfAForeignVerdict: we take over a condition that another controller left.
func TestAdoptionOfAForeignVerdict(t *testing.T) {
	f := newHarness(t)
	f.mark("HealthCheckSucceeded", "capi-machinehealthcheck")
	f.reconcile()
	f.stored(metav1.ConditionTrue, "Succeeded", "")
}
