package bench

import (
	"context"
	"fmt"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// create creates a shoot. The Cluster is much smaller than a real one, which contains the
// whole cloud profile.
func (w *world) create(ctx context.Context, shoot string) error {
	worker := &extensionsv1alpha1.Worker{
		ObjectMeta: metav1.ObjectMeta{Namespace: shoot, Name: shoot},
		Spec: extensionsv1alpha1.WorkerSpec{
			DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: extensionType}, Region: "eu-1", Pools: []extensionsv1alpha1.WorkerPool{},
		},
	}
	for _, obj := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shoot}}, newCluster(shoot), worker} {
		if err := w.Client.Create(ctx, obj); err != nil {
			return fmt.Errorf("creating %T of %s: %w", obj, shoot, err)
		}
	}
	for _, obj := range []client.Object{newDeployment(shoot), newStatefulSet(shoot), newManagedResource(shoot)} {
		wanted := obj.DeepCopyObject().(client.Object)
		if err := w.Client.Create(ctx, obj); err != nil {
			return fmt.Errorf("creating %T of %s: %w", obj, shoot, err)
		}
		// The API server drops the status of a new object.
		wanted.SetResourceVersion(obj.GetResourceVersion())
		if err := w.Client.Status().Update(ctx, wanted); err != nil {
			return fmt.Errorf("creating %T of %s: %w", obj, shoot, err)
		}
	}
	return nil
}

func newCluster(shoot string) *extensionsv1alpha1.Cluster {
	raw := func(kind string) runtime.RawExtension {
		return runtime.RawExtension{Raw: fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":%q},"spec":{}}`,
			gardencorev1beta1.SchemeGroupVersion, kind, shoot)}
	}
	seed := raw("Seed")
	return &extensionsv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: shoot},
		Spec:       extensionsv1alpha1.ClusterSpec{CloudProfile: raw("CloudProfile"), Seed: &seed, Shoot: raw("Shoot")},
	}
}

// newTemplate returns a new value each time, because the client decodes answers into the
// object that it sent.
func newTemplate() (*metav1.LabelSelector, corev1.PodTemplateSpec) {
	labels := func() map[string]string { return map[string]string{"app": "bench"} }
	return &metav1.LabelSelector{MatchLabels: labels()}, corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels()},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "bench"}}},
	}
}

func newDeployment(shoot string) *appsv1.Deployment {
	selector, template := newTemplate()
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: shoot, Name: deployment},
		Spec:       appsv1.DeploymentSpec{Selector: selector, Template: template},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 1, Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
		}},
	}
}

func newStatefulSet(shoot string) *appsv1.StatefulSet {
	selector, template := newTemplate()
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: shoot, Name: statefulSet},
		Spec:       appsv1.StatefulSetSpec{Selector: selector, Template: template},
		Status:     appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 1, ReadyReplicas: 1, UpdatedReplicas: 1, CurrentReplicas: 1},
	}
}

func newManagedResource(shoot string) *resourcesv1alpha1.ManagedResource {
	condition := func(conditionType gardencorev1beta1.ConditionType) gardencorev1beta1.Condition {
		now := metav1.Now()
		return gardencorev1beta1.Condition{
			Type: conditionType, Status: gardencorev1beta1.ConditionTrue, Reason: "Fine", Message: "fine",
			LastTransitionTime: now, LastUpdateTime: now,
		}
	}
	return &resourcesv1alpha1.ManagedResource{
		ObjectMeta: metav1.ObjectMeta{Namespace: shoot, Name: managedResource},
		Spec:       resourcesv1alpha1.ManagedResourceSpec{SecretRefs: []corev1.LocalObjectReference{{Name: "none"}}},
		Status: resourcesv1alpha1.ManagedResourceStatus{ObservedGeneration: 1, Conditions: []gardencorev1beta1.Condition{
			condition(resourcesv1alpha1.ResourcesApplied), condition(resourcesv1alpha1.ResourcesHealthy),
		}},
	}
}
