package gardener_test

import (
	"encoding/json"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

func newWorker(t *testing.T, e *env.Env, namespace, extensionType string) *extensionsv1alpha1.Worker {
	t.Helper()
	worker := &extensionsv1alpha1.Worker{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "worker"},
		Spec: extensionsv1alpha1.WorkerSpec{
			DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: extensionType},
			Region:      "eu-1",
			Pools:       []extensionsv1alpha1.WorkerPool{},
		},
	}
	if err := e.Client.Create(t.Context(), worker); err != nil {
		t.Fatal(err)
	}
	return worker
}

// newCluster creates the Cluster of the extension objects in a namespace.
func newCluster(t *testing.T, e *env.Env, name string, hibernated bool) *extensionsv1alpha1.Cluster {
	t.Helper()
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: clusterSpec(t, hibernated)}
	if err := e.Client.Create(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	return cluster
}

func clusterSpec(t *testing.T, hibernated bool) extensionsv1alpha1.ClusterSpec {
	t.Helper()
	raw := func(obj any) runtime.RawExtension {
		encoded, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		return runtime.RawExtension{Raw: encoded}
	}
	version := gardencorev1beta1.SchemeGroupVersion.String()
	seed := raw(&gardencorev1beta1.Seed{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Seed"}})
	return extensionsv1alpha1.ClusterSpec{
		CloudProfile: raw(&gardencorev1beta1.CloudProfile{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "CloudProfile"}}),
		Seed:         &seed,
		Shoot: raw(&gardencorev1beta1.Shoot{
			TypeMeta:   metav1.TypeMeta{APIVersion: version, Kind: "Shoot"},
			ObjectMeta: metav1.ObjectMeta{Name: "blue"},
			Spec:       gardencorev1beta1.ShootSpec{Hibernation: &gardencorev1beta1.Hibernation{Enabled: &hibernated}},
		}),
	}
}
