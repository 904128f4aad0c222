package gardener_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// healthy creates all objects that the example checks.
func healthy(t *testing.T, f *fixture) {
	t.Helper()
	namespace := f.worker.Namespace
	f.create(t, untyped("resources.gardener.cloud", "ManagedResource", namespace, mcmShootResourceName,
		map[string]any{"secretRefs": []any{}},
		map[string]any{"observedGeneration": int64(1), "conditions": conditions("ResourcesApplied", "ResourcesHealthy")}))
	f.create(t, untyped("machine.sapcloud.io", "MachineDeployment", namespace, "pool",
		map[string]any{"replicas": int64(1), "template": map[string]any{}, "selector": map[string]any{}},
		map[string]any{"observedGeneration": int64(1), "conditions": conditions("Available", "Progressing")}))
	f.create(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "node-"}})
	labels := map[string]string{"app": "mcm"}
	f.create(t, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: aws.MachineControllerManagerName},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "mcm", Image: "mcm"}}},
			},
		},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: 1,
			Conditions:         []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}},
		},
	})
}

func conditions(types ...string) []any {
	var list []any
	for _, conditionType := range types {
		list = append(list, map[string]any{
			"type": conditionType, "status": "True", "reason": "Fine", "message": "fine",
			"lastTransitionTime": "2026-01-01T00:00:00Z", "lastUpdateTime": "2026-01-01T00:00:00Z",
		})
	}
	return list
}

func untyped(group, kind, namespace, name string, spec, status map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec, "status": status}}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1alpha1", Kind: kind})
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// create creates an object with its status.
func (f *fixture) create(t *testing.T, obj client.Object) {
	t.Helper()
	status := obj.DeepCopyObject().(client.Object)
	if err := f.env.Client.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
	status.SetName(obj.GetName())
	status.SetResourceVersion(obj.GetResourceVersion())
	status.SetUID(obj.GetUID())
	if err := f.env.Client.Status().Update(t.Context(), status); err != nil {
		t.Fatal(err)
	}
}
