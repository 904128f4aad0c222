package gardener_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener/general"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener/worker"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// nodes is a shoot with this many Nodes; the machine of the last one is not managed.
type nodes struct {
	client.Client

	count int
}

func (n nodes) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	items := make([]corev1.Node, n.count)
	items[n.count-1].Annotations = map[string]string{"node.machine.sapcloud.io/not-managed-by-mcm": "1"}
	list.(*corev1.NodeList).Items = items
	return nil
}

// unreachable is a cluster whose client returns only errors.
type unreachable struct{ client.Client }

var errUnreachable = errors.New("no route")

func (unreachable) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errUnreachable
}

func (unreachable) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errUnreachable
}

// run gives a check its clients and runs it.
func run(t *testing.T, check gardener.HealthCheck, namespace string, source, target client.Client) (*gardener.SingleCheckResult, error) {
	t.Helper()
	if taker, ok := check.(gardener.SourceClient); ok {
		taker.InjectSourceClient(source)
	}
	if taker, ok := check.(gardener.TargetClient); ok {
		taker.InjectTargetClient(target)
	}
	return check.Check(t.Context(), types.NamespacedName{Namespace: namespace, Name: "worker"})
}

// pool returns a MachineDeployment. Failed names one of its machines, which has failed.
func pool(namespace, name string, replicas int64, available, failed string) client.Object {
	list := conditions("Available")
	list[0].(map[string]any)["status"] = available
	status := map[string]any{"observedGeneration": int64(1), "conditions": list}
	if failed != "" {
		status["failedMachines"] = []any{map[string]any{
			"name":          failed,
			"lastOperation": map[string]any{"description": "no quota", "lastUpdateTime": "2026-01-01T00:00:00Z"},
		}}
	}
	spec := map[string]any{"replicas": replicas, "template": map[string]any{}, "selector": map[string]any{}}
	return untyped("machine.sapcloud.io", "MachineDeployment", namespace, name, spec, status)
}

func TestSufficientNodesAvailable(t *testing.T) {
	const missing = "not enough worker nodes registered in the cluster (2/3)"
	rows := map[string]struct {
		pools func(namespace string) []client.Object
		want  string
	}{
		"none wanted": {func(string) []client.Object { return nil }, ""},
		"enough": {func(ns string) []client.Object {
			return []client.Object{pool(ns, "a", 1, "True", ""), pool(ns, "b", 1, "True", "")}
		}, ""},
		"too few": {func(ns string) []client.Object {
			return []client.Object{pool(ns, "a", 1, "True", ""), pool(ns, "b", 2, "True", "")}
		}, missing},
		"failed": {func(ns string) []client.Object { return []client.Object{pool(ns, "a", 1, "False", "m")} }, `machine "m" failed: no quota`},
		"not available": {
			func(ns string) []client.Object { return []client.Object{pool(ns, "a", 1, "False", "")} },
			`is unhealthy: fine (Fine)`,
		},
	}
	e := env.Get(t)
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			namespace := e.Namespace(t)
			for _, obj := range row.pools(namespace) {
				(&harness{env: e}).create(t, obj)
			}
			judge(t, worker.SufficientNodesAvailable(), namespace, e.Client, row.want)
			if row.want == missing {
				// The current check does not count Nodes, and does not need the shoot.
				row.want = ""
			}
			judge(t, worker.NewNodesChecker(), namespace, e.Client, row.want)
		})
	}
}

// backwards is a cluster whose lists have another order, as those from a cache can.
type backwards struct{ client.Client }

func (b backwards) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := b.Client.List(ctx, list, opts...); err != nil {
		return err
	}
	slices.Reverse(list.(*unstructured.UnstructuredList).Items)
	return nil
}

// The message names the same failed machine each time.
func TestOrderOfMachines(t *testing.T) {
	e := env.Get(t)
	namespace := e.Namespace(t)
	for _, name := range []string{"a", "b"} {
		(&harness{env: e}).create(t, pool(namespace, name, 1, "False", "machine-of-"+name))
	}
	for _, source := range []client.Client{e.Client, backwards{e.Client}} {
		judge(t, worker.NewNodesChecker(), namespace, source, `machine "machine-of-a" failed: no quota`)
	}
}

// judge runs a check and compares its message; an empty one means healthy.
func judge(t *testing.T, check gardener.HealthCheck, namespace string, source client.Client, want string) {
	t.Helper()
	got, err := run(t, check, namespace, source, nodes{count: 3})
	if err != nil {
		t.Fatal(err)
	}
	status := gardencorev1beta1.ConditionFalse
	if want == "" {
		status = gardencorev1beta1.ConditionTrue
	}
	if got.Status != status || !strings.Contains(got.Detail, want) {
		t.Errorf("it is %s: %s", got.Status, got.Detail)
	}
}

func TestGeneral(t *testing.T) {
	f := newHarness(t)
	namespace := f.worker.Namespace
	labels := map[string]string{"app": "it"}
	f.create(t, &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "it"},
		Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "it", Image: "it"}}}},
		},
		Status: appsv1.StatefulSetStatus{ObservedGeneration: 1},
	})
	bad := conditions("ResourcesApplied")
	bad[0].(map[string]any)["status"], bad[0].(map[string]any)["message"] = "False", "error during apply of object it is invalid: so"
	f.create(t, untyped("resources.gardener.cloud", "ManagedResource", namespace, "it",
		map[string]any{"secretRefs": []any{}}, map[string]any{"observedGeneration": int64(1), "conditions": bad}))
	for want, check := range map[string]gardener.HealthCheck{
		`deployment "no" in namespace "` + namespace + `" not found`:            general.CheckSeedDeployment("no"),
		`DaemonSet "no" in namespace "` + namespace + `" not found`:             general.CheckSeedDaemonSet("no"),
		`StatefulSet "no" in namespace "` + namespace + `" not found`:           general.CheckSeedStatefulSet("no"),
		`Managed Resource "no" in namespace "` + namespace + `" not found`:      general.CheckManagedResource("no"),
		`statefulSet "it" in namespace "` + namespace + `" is unhealthy: `:      general.NewSeedStatefulSetChecker("it"),
		`managed resource "it" in namespace "` + namespace + `" is unhealthy: `: general.CheckManagedResource("it"),
	} {
		judge(t, check, namespace, f.env.Client, want)
	}
	got, err := run(t, general.CheckManagedResource("it"), namespace, f.env.Client, nil)
	if err != nil || len(got.Codes) != 1 || got.Codes[0] != gardencorev1beta1.ErrorConfigurationProblem {
		t.Errorf("codes are %v, %v", got.Codes, err)
	}
	for _, check := range []gardener.HealthCheck{
		general.NewShootDeploymentHealthChecker("it"), general.NewShootDaemonSetHealthChecker("it"), general.NewShootStatefulSetChecker("it"),
		worker.NewSufficientNodesChecker(),
	} {
		if _, err := run(t, check, namespace, f.env.Client, unreachable{}); !errors.Is(err, errUnreachable) {
			t.Errorf("%T of a shoot that cannot be reached says %v", check, err)
		}
	}
}
