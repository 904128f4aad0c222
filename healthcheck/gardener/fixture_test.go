package gardener_test

import (
	"context"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// theirs is the module that contains the definitions of Gardener's kinds.
const theirs = "github.com/gardener/gardener@v1.150.0"

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(extensionsv1alpha1.AddToScheme, resourcesv1alpha1.AddToScheme), env.WithModuleCRDs(theirs,
		"example/seed-crds/10-crd-extensions.gardener.cloud_workers.yaml",
		"example/seed-crds/10-crd-extensions.gardener.cloud_clusters.yaml",
		"example/seed-crds/10-crd-resources.gardener.cloud_managedresources.yaml",
		"example/seed-crds/10-crd-machine.sapcloud.io_machinedeployments.yaml"))
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ago returns the time that long before now.
func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

const everyNodeReady = string(gardencorev1beta1.ShootEveryNodeReady)

// scripted is a check whose answer the test sets.
type scripted struct {
	result *gardener.SingleCheckResult
	err    error
}

func (s *scripted) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return s.result, s.err
}

func (s *scripted) SetLoggerSuffix(string, string) {}

// fixture is a Worker of a shoot on the API server, and the engine for it.
type fixture struct {
	*gardener.Registration

	env    *env.Env
	clock  *testingclock.FakePassiveClock
	worker *extensionsv1alpha1.Worker
}

func newFixture(t *testing.T, checks ...gardener.HealthCheck) *fixture {
	t.Helper()
	e := env.Get(t)
	f := &fixture{env: e, clock: testingclock.NewFakePassiveClock(now), worker: newWorker(t, e, e.Namespace(t), "aws")}
	newCluster(t, e, f.worker.Namespace, false)
	f.Registration = &gardener.Registration{
		Type: "aws", Kind: workerKind,
		New:            func() client.Object { return &extensionsv1alpha1.Worker{} },
		DefaultAddArgs: gardener.DefaultAddArgs{Clock: f.clock},
	}
	for _, check := range checks {
		f.HealthChecks = append(f.HealthChecks, gardener.ConditionTypeToHealthCheck{ConditionType: everyNodeReady, HealthCheck: check})
	}
	return f
}

var workerKind = extensionsv1alpha1.SchemeGroupVersion.WithKind(extensionsv1alpha1.WorkerResource)

// reconcile runs the engine once.
func (f *fixture) reconcile(t *testing.T) (ctrl.Result, error) {
	t.Helper()
	reconciler, err := f.Reconciler(f.env.Client)
	if err != nil {
		t.Fatal(err)
	}
	return reconciler.Reconcile(t.Context(), f.request())
}

// mustReconcile is reconcile, and fails the test on an error.
func (f *fixture) mustReconcile(t *testing.T) ctrl.Result {
	t.Helper()
	result, err := f.reconcile(t)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// conditions returns the stored conditions.
func (f *fixture) conditions(t *testing.T) []gardencorev1beta1.Condition {
	t.Helper()
	if err := f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(f.worker), f.worker); err != nil {
		t.Fatal(err)
	}
	return f.worker.Status.Conditions
}

// condition returns the stored condition of a type.
func (f *fixture) condition(t *testing.T, conditionType string) gardencorev1beta1.Condition {
	t.Helper()
	for _, c := range f.conditions(t) {
		if string(c.Type) == conditionType {
			return c
		}
	}
	t.Fatalf("there is no condition %s", conditionType)
	return gardencorev1beta1.Condition{}
}

// store stores conditions on the Worker, as if they were there before.
func (f *fixture) store(t *testing.T, conditions ...gardencorev1beta1.Condition) {
	t.Helper()
	f.conditions(t)
	f.worker.Status.Conditions = conditions
	if err := f.env.Client.Status().Update(t.Context(), f.worker); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) request() ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.worker)}
}

func clusterMeta(f *fixture) metav1.ObjectMeta { return metav1.ObjectMeta{Name: f.worker.Namespace} }

// recreate replaces the Worker with one of another class, because the class is immutable.
func (f *fixture) recreate(t *testing.T, class extensionsv1alpha1.ExtensionClass) {
	t.Helper()
	if err := f.env.Client.Delete(t.Context(), f.worker); err != nil {
		t.Fatal(err)
	}
	f.worker.ResourceVersion, f.worker.UID, f.worker.Spec.Class = "", "", &class
	if err := f.env.Client.Create(t.Context(), f.worker); err != nil {
		t.Fatal(err)
	}
}
