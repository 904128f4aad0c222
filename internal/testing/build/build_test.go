package build_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m) }

// TestAPIServerAccepts: the built objects pass the validation of the real CRDs.
func TestAPIServerAccepts(t *testing.T) {
	e := env.Get(t)
	ns, since := e.Namespace(t), build.Epoch.Add(time.Hour)
	template := env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)

	set := build.MachineSet(ns, "set", build.InCluster("c"), build.Replicas(3))
	build.Create(t.Context(), t, e.Client, set)

	tests := map[string]client.Object{
		"cluster":            build.Cluster(ns, "c"),
		"cluster, not ready": build.Cluster(ns, "new", build.InfrastructureNotReady(), build.ControlPlaneNotInitialized(), build.Paused()),
		"machine":            build.Machine(ns, "m"),
		"machine, options": build.Machine(ns, "options",
			build.InCluster("c"), build.OwnedBy(set), build.NodeRef("n"), build.ControlPlane(),
			build.Label("l", "1"), build.Annotation("a", "1"), build.CreatedAt(since),
			build.Condition("HealthCheckSucceeded", metav1.ConditionFalse, "NodeNotFound", since).WithMessage("Node not found")),
		"node":            build.Node("n"),
		"node, not ready": build.Node("not-ready", build.NodeReady(metav1.ConditionFalse, since), build.UID("u")),
		"machine set":     build.MachineSet(ns, "other-set"),
		"health check":    build.MachineHealthCheck(ns, "mhc"),
		"health check, options": build.MachineHealthCheck(ns, "mhc-options",
			build.Selector(map[string]string{"l": "1"}),
			build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, 5*time.Minute),
			build.UnhealthyMachineCondition("InfrastructureReady", metav1.ConditionFalse, time.Minute),
			build.NodeStartupTimeout(0),
			build.TriggerIfAtMost(intstr.FromString("40%")),
			build.TriggerIfInRange("[1-3]"),
			build.TemplateRef(template, "fix")),
		"remediation template": build.RemediationTemplate(template, ns, "fix", map[string]any{"how": "gently"}),
	}
	for name, obj := range tests {
		t.Run(name, func(t *testing.T) {
			built := obj.DeepCopyObject().(client.Object)
			build.Create(t.Context(), t, e.Client, obj)

			stored := obj.DeepCopyObject().(client.Object)
			if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), stored); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(built, stored, ignoreServerFields); diff != "" {
				t.Errorf("stored object is not as built (-built +stored):\n%s", diff)
			}
		})
	}
}

// ignoreServerFields ignores what the API server sets. It taints every new Node as not ready, and without a node
// lifecycle controller the taint stays.
var ignoreServerFields = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(metav1.ObjectMeta{}, "UID", "Generation", "ResourceVersion", "ManagedFields", "CreationTimestamp"),
	cmpopts.IgnoreFields(corev1.NodeSpec{}, "Taints"),
	cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "metadata" }),
}

func TestCreateDeleting(t *testing.T) {
	e := env.Get(t)
	machine := build.Machine(e.Namespace(t), "m", build.NodeRef("n"), build.Deleting(build.Epoch))
	build.Create(t.Context(), t, e.Client, machine)
	if machine.DeletionTimestamp == nil || machine.Status.NodeRef.Name != "n" {
		t.Errorf("got deletionTimestamp %v and nodeRef %v, want both set", machine.DeletionTimestamp, machine.Status.NodeRef)
	}
}

// TestCreateBesideController: the status is stored even if a controller writes to the object first.
func TestCreateBesideController(t *testing.T) {
	e := env.Get(t)
	var once sync.Once
	hasty := e.Intercept(t, interceptor.Funcs{
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			once.Do(func() {
				label := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"controller":"was-here"}}}`))
				if err := c.Patch(ctx, obj.DeepCopyObject().(client.Object), label); err != nil {
					t.Error(err)
				}
			})
			return c.SubResource(sub).Update(ctx, obj, opts...)
		},
	})
	cluster := build.Cluster(e.Namespace(t), "c")
	build.Create(t.Context(), t, hasty, cluster)
	if initialized := cluster.Status.Initialization.ControlPlaneInitialized; initialized == nil || !*initialized {
		t.Errorf("its status is %v", cluster.Status)
	}
	if cluster.Labels["controller"] != "was-here" {
		t.Error("what the controller wrote is lost")
	}
}

func TestOwnedBy(t *testing.T) {
	set := build.MachineSet("ns", "set")
	machine := build.Machine("ns", "m", build.OwnedBy(set))
	if !metav1.IsControlledBy(machine, set) {
		t.Errorf("owner references are %v, want the MachineSet as controller", machine.OwnerReferences)
	}
	selector, err := metav1.LabelSelectorAsMap(&set.Spec.Selector)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range selector {
		if machine.Labels[key] != value {
			t.Errorf("label %s = %q, want %q, which the MachineSet selects", key, machine.Labels[key], value)
		}
	}
}

func TestConditionReplaces(t *testing.T) {
	since := build.Epoch.Add(time.Minute)
	cluster := build.Cluster("ns", "c",
		build.Condition(clusterv1.ClusterInfrastructureReadyCondition, metav1.ConditionFalse, "Broken", since))
	if n := len(cluster.Status.Conditions); n != 2 {
		t.Errorf("there are %d conditions, want 2", n)
	}
	got := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition)
	if got.Status != metav1.ConditionFalse || !got.LastTransitionTime.Time.Equal(since) {
		t.Errorf("condition is %v, want the later one", got)
	}
}
