package gardener_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
func (s *scripted) DeepCopy() gardener.HealthCheck { c := *s; return &c }

// harness is a Worker of a shoot on the API server, and the engine for it.
type harness struct {
	*gardener.Registration

	env    *env.Env
	clock  *testingclock.FakePassiveClock
	worker *extensionsv1alpha1.Worker
}

func newHarness(t *testing.T, checks ...gardener.HealthCheck) *harness {
	t.Helper()
	e := env.Get(t)
	f := &harness{env: e, clock: testingclock.NewFakePassiveClock(now), worker: newWorker(t, e, e.Namespace(t), "aws")}
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
func (f *harness) reconcile(t *testing.T) (ctrl.Result, error) {
	t.Helper()
	reconciler, err := f.Reconciler(f.env.Client)
	if err != nil {
		t.Fatal(err)
	}
	return reconciler.Reconcile(t.Context(), f.request())
}

// mustReconcile is reconcile, and fails the test on an error.
func (f *harness) mustReconcile(t *testing.T) ctrl.Result {
	t.Helper()
	result, err := f.reconcile(t)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// conditions returns the stored conditions.
func (f *harness) conditions(t *testing.T) []gardencorev1beta1.Condition {
	t.Helper()
	if err := f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(f.worker), f.worker); err != nil {
		t.Fatal(err)
	}
	return f.worker.Status.Conditions
}

// condition returns the stored condition of a type.
func (f *harness) condition(t *testing.T, conditionType string) gardencorev1beta1.Condition {
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
func (f *harness) store(t *testing.T, conditions ...gardencorev1beta1.Condition) {
	t.Helper()
	f.conditions(t)
	f.worker.Status.Conditions = conditions
	if err := f.env.Client.Status().Update(t.Context(), f.worker); err != nil {
		t.Fatal(err)
	}
}

func (f *harness) request() ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.worker)}
}

func clusterMeta(f *harness) metav1.ObjectMeta { return metav1.ObjectMeta{Name: f.worker.Namespace} }

// recreate replaces the Worker with one of another class, because the class is immutable.
func (f *harness) recreate(t *testing.T, class extensionsv1alpha1.ExtensionClass) {
	t.Helper()
	if err := f.env.Client.Delete(t.Context(), f.worker); err != nil {
		t.Fatal(err)
	}
	f.worker.ResourceVersion, f.worker.UID, f.worker.Spec.Class = "", "", &class
	if err := f.env.Client.Create(t.Context(), f.worker); err != nil {
		t.Fatal(err)
	}
}

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

// healthy creates all objects that the example checks.
func healthy(t *testing.T, f *harness) {
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
func (f *harness) create(t *testing.T, obj client.Object) {
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

// cluster is a client that knows which cluster it is for.
type cluster struct {
	client.Client

	name string
}

// report returns what a check was given.
func report(provider, kind string, source, target client.Client) *gardener.SingleCheckResult {
	name := func(c client.Client) string {
		if named, ok := c.(*cluster); ok {
			return named.name
		}
		return fmt.Sprintf("%T", c)
	}
	return &gardener.SingleCheckResult{Status: statusFalse, Detail: fmt.Sprintf("%s %s: %s, %s", provider, kind, name(source), name(target))}
}

// fiveMethods is a check with the interface of the seed.
type fiveMethods struct {
	provider, kind string
	seed, shoot    client.Client
}

func (f *fiveMethods) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return report(f.provider, f.kind, f.seed, f.shoot), nil
}
func (f *fiveMethods) InjectSeedClient(c client.Client)      { f.seed = c }
func (f *fiveMethods) InjectShootClient(c client.Client)     { f.shoot = c }
func (f *fiveMethods) SetLoggerSuffix(provider, kind string) { f.provider, f.kind = provider, kind }
func (f *fiveMethods) DeepCopy() gardener.HealthCheck        { c := *f; return &c }

// optional is a check of the versions after that, with only the methods that it needs.
type optional struct {
	provider, kind string
	shoot          client.Client
}

func (o *optional) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return report(o.provider, o.kind, nil, o.shoot), nil
}
func (o *optional) InjectShootClient(c client.Client)     { o.shoot = c }
func (o *optional) SetLoggerSuffix(provider, kind string) { o.provider, o.kind = provider, kind }
func (o *optional) DeepCopy() gardener.HealthCheck        { c := *o; return &c }

// todays is a check of the current version, with the method that it lacks.
type todays struct {
	provider, kind string
	source, target client.Client
}

func (t *todays) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return report(t.provider, t.kind, t.source, t.target), nil
}
func (t *todays) InjectSourceClient(c client.Client)    { t.source = c }
func (t *todays) InjectTargetClient(c client.Client)    { t.target = c }
func (t *todays) SetLoggerSuffix(provider, kind string) { t.provider, t.kind = provider, kind }
func (t *todays) DeepCopy() gardener.HealthCheck        { c := *t; return &c }

// theirResult and theirs correspond to the types in Gardener's own module.
type theirResult struct {
	Status               gardencorev1beta1.ConditionStatus
	Detail               string
	Codes                []gardencorev1beta1.ErrorCode
	ProgressingThreshold *time.Duration
}

type theirCheck struct{ todays }

func (t *theirCheck) Check(ctx context.Context, key types.NamespacedName) (*theirResult, error) {
	r, err := t.todays.Check(ctx, key)
	return &theirResult{Status: r.Status, Detail: r.Detail, Codes: []gardencorev1beta1.ErrorCode{quota}}, err
}
