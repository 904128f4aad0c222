package cel_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
)

// conditions is a typical rule.
var conditions = cel.Rule{
	Current: "status.conditions.exists(c, c.type == 'Available' && c.status == 'True')",
	Failed:  "status.conditions.exists(c, c.type == 'Stalled' && c.status == 'True')",
}

func BenchmarkEvaluate(b *testing.B) {
	program := compile(b, conditions)
	object := &unstructured.Unstructured{Object: m{
		"metadata": m{"generation": int64(2)},
		"status": m{"observedGeneration": int64(2), "conditions": []any{
			m{"type": "Reconciling", "status": "False"}, m{"type": "Stalled", "status": "False"}, m{"type": "Available", "status": "True"},
		}},
	}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := program.Evaluate(b.Context(), object); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluateTyped(b *testing.B) {
	program := compile(b, conditions)
	object := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", Generation: 2},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 2, Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentProgressing, Status: "True"}, {Type: appsv1.DeploymentAvailable, Status: "True"},
		}},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := program.EvaluateObject(b.Context(), object, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		compile(b, conditions)
	}
}
