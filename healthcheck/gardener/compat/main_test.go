package compat_test

import (
	"encoding/json"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(extensionsv1alpha1.AddToScheme), env.WithModuleCRDs("github.com/gardener/gardener",
		"example/seed-crds/10-crd-extensions.gardener.cloud_workers.yaml",
		"example/seed-crds/10-crd-extensions.gardener.cloud_clusters.yaml"))
}

// patience is far longer than anything here takes.
const patience = time.Minute

// period is the sync period of both libraries. It is long, so that each checks once.
const period = 10 * time.Minute

var (
	workerKind     = extensionsv1alpha1.SchemeGroupVersion.WithKind(extensionsv1alpha1.WorkerResource)
	newWorker      = func() extensionsv1alpha1.Object { return &extensionsv1alpha1.Worker{} }
	newWorkers     = func() client.ObjectList { return &extensionsv1alpha1.WorkerList{} }
	everyNodeReady = gardencorev1beta1.ShootEveryNodeReady
)

// The types of the objects of each library.
const (
	original = "original"
	ours     = "ours"
)

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newCluster creates the Cluster of the objects in a namespace.
func newCluster(t *testing.T, e *env.Env, name string, hibernated bool) {
	t.Helper()
	raw := func(kind string, obj any) runtime.RawExtension {
		encoded, err := json.Marshal(obj)
		must(t, err)
		fields := map[string]any{}
		must(t, json.Unmarshal(encoded, &fields))
		fields["apiVersion"], fields["kind"] = gardencorev1beta1.SchemeGroupVersion.String(), kind
		encoded, err = json.Marshal(fields)
		must(t, err)
		return runtime.RawExtension{Raw: encoded}
	}
	seed := raw("Seed", &gardencorev1beta1.Seed{})
	must(t, e.Client.Create(t.Context(), &extensionsv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: extensionsv1alpha1.ClusterSpec{
			CloudProfile: raw("CloudProfile", &gardencorev1beta1.CloudProfile{}), Seed: &seed,
			Shoot: raw("Shoot", &gardencorev1beta1.Shoot{
				Spec: gardencorev1beta1.ShootSpec{Hibernation: &gardencorev1beta1.Hibernation{Enabled: &hibernated}},
			}),
		},
	}))
}

// workerOf returns a Worker for one of the libraries.
func workerOf(namespace, library, variant string) *extensionsv1alpha1.Worker {
	return &extensionsv1alpha1.Worker{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: library},
		Spec: extensionsv1alpha1.WorkerSpec{
			DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: library + variant}, Region: "eu-1", Pools: []extensionsv1alpha1.WorkerPool{},
		},
	}
}
