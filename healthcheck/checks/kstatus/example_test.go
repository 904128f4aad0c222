package kstatus_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/kstatus"
)

// Any kind can be checked without importing its Go types. Here an object that is being
// deleted becomes unhealthy at once.
func Example() {
	certificate := func(ns *corev1.Namespace) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "cert-manager.io/v1", "kind": "Certificate",
			"metadata": map[string]any{"namespace": ns.Name, "name": "tls"},
		}}
	}
	rule := checks.Tolerate(0, kstatus.Ready, kstatus.ReasonTerminating)
	check := checks.One("certificate", checks.Source, certificate, rule)

	issuing := certificate(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
	issuing.Object["status"] = map[string]any{"conditions": []any{
		map[string]any{"type": "Ready", "status": "False", "reason": "DoesNotExist", "message": "Issuing certificate as Secret does not exist"},
	}}
	r, err := check.Check.Check(context.Background(), healthcheck.Input[*corev1.Namespace]{
		Object: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
		Env:    healthcheck.Env{Source: fake.NewFakeClient(issuing)},
	})
	fmt.Println(r.Status, r.Reason, r.Within, err)
	fmt.Println(r.Message)
	// Output:
	// Progressing InProgress 10m0s <nil>
	// Certificate shop/tls: Issuing certificate as Secret does not exist
}
