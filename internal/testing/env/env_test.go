package env_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m) }

func TestServerSideApplyOfMachineConditions(t *testing.T) {
	e, ctx := env.Get(t), t.Context()
	machine := newMachine(t, e.Client, e.Namespace(t))

	owner := client.FieldOwner("test")
	patch := func(conditions ...any) {
		t.Helper()
		u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": conditions}}}
		u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
		u.SetNamespace(machine.Namespace)
		u.SetName(machine.Name)
		if err := e.Client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), owner); err != nil {
			t.Fatalf("applying conditions: %v", err)
		}
	}
	patch(map[string]any{
		"type": "HealthCheckSucceeded", "status": "False", "reason": "NodeNotFound", "message": "Node not found",
		"lastTransitionTime": "2026-01-02T03:04:05Z",
	})
	live := &clusterv1.Machine{}
	if err := e.Client.Get(ctx, client.ObjectKeyFromObject(machine), live); err != nil {
		t.Fatal(err)
	}
	if c := meta.FindStatusCondition(live.Status.Conditions, "HealthCheckSucceeded"); c == nil || c.Reason != "NodeNotFound" {
		t.Errorf("condition read back is %v, want reason NodeNotFound", c)
	}
}

func TestRemediationRequest(t *testing.T) {
	e := env.Get(t)
	for _, kind := range []string{env.RemediationKind, env.RemediationTemplateKind} {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"anything": "goes"}}}
		u.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(kind))
		u.SetNamespace(e.Namespace(t))
		u.SetName("fix")
		if err := e.Client.Create(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := unstructured.NestedString(u.Object, "spec", "anything"); got != "goes" {
			t.Errorf("%s: spec.anything = %q, want it preserved", kind, got)
		}
	}
}

func TestManagerSeesOnlyItsNamespaces(t *testing.T) {
	e := env.Get(t)
	ours, theirs := e.Namespace(t), e.Namespace(t)
	seen := make(chan string, 10)
	e.Manager(t, env.ManagerOptions{
		Namespaces: []string{ours},
		Setup: func(mgr ctrl.Manager) error {
			return ctrl.NewControllerManagedBy(mgr).For(&clusterv1.Machine{}).Complete(reconcile.Func(
				func(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
					seen <- req.Namespace
					return ctrl.Result{}, nil
				}))
		},
	})
	newMachine(t, e.Client, theirs)
	newMachine(t, e.Client, ours)
	NewWithT(t).Eventually(seen, "20s").Should(Receive(Equal(ours)))
}

func newMachine(t *testing.T, c client.Client, namespace string) *clusterv1.Machine {
	t.Helper()
	machine := &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "m"},
		Spec: clusterv1.MachineSpec{
			ClusterName: "c",
			Bootstrap:   clusterv1.Bootstrap{DataSecretName: new("s")},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{
				APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: "m",
			},
		},
	}
	if err := c.Create(t.Context(), machine); err != nil {
		t.Fatalf("creating a Machine: %v", err)
	}
	return machine
}
