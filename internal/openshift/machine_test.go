package openshift_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// machine is a worker with a Node.
func machine(changes ...func(*machinev1.Machine)) *machinev1.Machine {
	m := &machinev1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "m", UID: "m-1", Labels: map[string]string{"role": "worker"}, Annotations: map[string]string{"some": "x"}},
		Status:     machinev1.MachineStatus{NodeRef: &corev1.ObjectReference{Kind: "Node", Name: "n"}, Phase: new("Running")},
	}
	for _, change := range changes {
		change(m)
	}
	return m
}

func node(conditions ...corev1.NodeCondition) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{Conditions: conditions}}
}

func is(conditionType corev1.NodeConditionType, status corev1.ConditionStatus) corev1.NodeCondition {
	return corev1.NodeCondition{Type: conditionType, Status: status, LastTransitionTime: metav1.NewTime(noon)}
}

// check is a health check of the machines with a role, for which a full disk is unhealthy.
func check(role string, annotations map[string]string) *machinev1.MachineHealthCheck {
	return &machinev1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "check-" + role, Annotations: annotations},
		Spec: machinev1.MachineHealthCheckSpec{
			Selector:            metav1.LabelSelector{MatchLabels: map[string]string{"role": role}},
			UnhealthyConditions: []machinev1.UnhealthyCondition{{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue, Timeout: metav1.Duration{Duration: time.Hour}}},
		},
	}
}

func stored(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{machinev1.Install, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

// TestHealthy: a machine is healthy if its Node is, by its own health checks, and it has not failed.
func TestHealthy(t *testing.T) {
	ready, notReady, full := is(corev1.NodeReady, corev1.ConditionTrue), is(corev1.NodeReady, corev1.ConditionFalse), is(corev1.NodeDiskPressure, corev1.ConditionTrue)
	deleting := node(ready)
	deleting.DeletionTimestamp, deleting.Finalizers = new(metav1.NewTime(noon)), []string{"example.dev/keep"}
	broken := check("worker", nil)
	broken.Spec.Selector = metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "role", Operator: "Like"}}}
	for name, tt := range map[string]struct {
		machine *machinev1.Machine
		others  []client.Object
		want    bool
	}{
		"it is ready":                      {machine(), []client.Object{node(ready)}, true},
		"it is ready, and checked":         {machine(), []client.Object{node(ready), check("worker", nil)}, true},
		"it is not":                        {machine(), []client.Object{node(notReady)}, false},
		"nobody knows":                     {machine(), []client.Object{node(is(corev1.NodeReady, corev1.ConditionUnknown))}, false},
		"nobody has said":                  {machine(), []client.Object{node()}, false},
		"a condition is left":              {machine(), []client.Object{node(ready, full), check("worker", nil)}, false},
		"that matters to others":           {machine(), []client.Object{node(ready, full), check("master", nil)}, true},
		"that matters to nobody":           {machine(), []client.Object{node(ready, full)}, true},
		"another condition":                {machine(), []client.Object{node(ready, is("Other", corev1.ConditionTrue)), check("worker", nil)}, true},
		"the condition is over":            {machine(), []client.Object{node(ready, is(corev1.NodeDiskPressure, corev1.ConditionFalse)), check("worker", nil)}, true},
		"the check selects nothing":        {machine(), []client.Object{node(ready, full), broken}, true},
		"the Machine has failed":           {machine(func(m *machinev1.Machine) { m.Status.Phase = new("Failed") }), []client.Object{node(ready)}, false},
		"the Machine has no phase":         {machine(func(m *machinev1.Machine) { m.Status.Phase = nil }), []client.Object{node(ready)}, true},
		"the Machine has no Node yet":      {machine(func(m *machinev1.Machine) { m.Status.NodeRef = nil }), []client.Object{node(ready)}, false},
		"the Node is gone":                 {machine(), nil, false},
		"the Node is being deleted":        {machine(), []client.Object{deleting}, false},
		"a check of another namespace":     {machine(), []client.Object{node(ready, full), elsewhere(check("worker", nil))}, true},
		"the second check finds something": {machine(), []client.Object{node(ready, full), check("master", nil), check("worker", nil)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := openshift.Healthy(t.Context(), stored(t, tt.others...), tt.machine); got != tt.want || err != nil {
				t.Errorf("healthy: %t, %v", got, err)
			}
		})
	}
}

func elsewhere(check *machinev1.MachineHealthCheck) *machinev1.MachineHealthCheck {
	check.Namespace = "elsewhere"
	return check
}

// TestUnreadable: what cannot be read is neither healthy nor sick. A cluster without health checks has none.
func TestUnreadable(t *testing.T) {
	broken := errors.New("no connection")
	noKind := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: machinev1.GroupName, Kind: "MachineHealthCheck"}}
	for name, tt := range map[string]struct {
		get, list error
		want      error
	}{
		"the Node":          {get: broken, want: broken},
		"the health checks": {list: broken, want: broken},
		"there are none":    {list: noKind},
	} {
		c := interceptor.NewClient(stored(t, machine(), node(is(corev1.NodeReady, corev1.ConditionTrue))), interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				if _, ok := obj.(*corev1.Node); ok && tt.get != nil {
					return tt.get
				}
				return c.Get(ctx, key, obj, opts...)
			},
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				if tt.list != nil {
					return tt.list
				}
				return c.List(ctx, list, opts...)
			},
		})
		found, err := openshift.Find(t.Context(), c, client.ObjectKey{Namespace: "ns", Name: "m"})
		if !errors.Is(err, tt.want) || (found == nil) != (tt.want != nil) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// TestFind: a Machine is found as one of Cluster API, with a verdict, and as its own infrastructure.
func TestFind(t *testing.T) {
	for ready, want := range map[corev1.ConditionStatus]metav1.ConditionStatus{corev1.ConditionTrue: metav1.ConditionTrue, corev1.ConditionFalse: metav1.ConditionFalse} {
		owner := metav1.OwnerReference{APIVersion: machinev1.GroupVersion.String(), Kind: "MachineSet", Name: "set", UID: "set-1", Controller: new(true)}
		c := stored(t, machine(func(m *machinev1.Machine) { m.OwnerReferences = []metav1.OwnerReference{owner} }), node(is(corev1.NodeReady, ready)))
		found, err := openshift.Find(t.Context(), c, client.ObjectKey{Namespace: "ns", Name: "m"})
		if err != nil || found == nil {
			t.Fatalf("%v, %v", found, err)
		}
		verdict := meta.FindStatusCondition(found.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
		if verdict == nil || verdict.Status != want {
			t.Errorf("the Node's Ready is %s, and the verdict %+v", ready, verdict)
		}
		got := map[string]any{
			"kind": found.GroupVersionKind(), "name": found.Namespace + "/" + found.Name, "uid": string(found.UID), "owners": found.OwnerReferences,
			"labels": found.Labels, "annotations": found.Annotations, "node": found.Status.NodeRef.Name, "infrastructure": found.Spec.InfrastructureRef,
		}
		if diff := cmp.Diff(map[string]any{
			"kind": openshift.Kind, "name": "ns/m", "uid": "m-1", "owners": []metav1.OwnerReference{owner},
			"labels": map[string]string{"role": "worker"}, "annotations": map[string]string{"some": "x"}, "node": "n",
			"infrastructure": clusterv1.ContractVersionedObjectReference{APIGroup: "machine.openshift.io", Kind: "Machine", Name: "m"},
		}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if found, err := openshift.Find(t.Context(), stored(t), client.ObjectKey{Namespace: "ns", Name: "m"}); found != nil || err != nil {
		t.Errorf("without a Machine, it finds %v, %v", found, err)
	}
}

// TestPaused: a pause of any health check that selects the Machine counts, also one for an upgrade. So does a hold.
func TestPaused(t *testing.T) {
	paused := map[string]string{clusterv1.PausedAnnotation: ""}
	hold := map[string]string{mhcspec.HoldUntilAnnotation: noon.Add(time.Hour).Format(time.RFC3339)}
	for name, tt := range map[string]struct {
		checks       []client.Object
		paused, held string
	}{
		"there is none":           {},
		"it is not paused":        {checks: []client.Object{check("worker", nil)}},
		"another one is":          {checks: []client.Object{check("master", paused), check("worker", nil)}},
		"another namespace's is":  {checks: []client.Object{elsewhere(check("worker", paused))}},
		"it is":                   {checks: []client.Object{check("worker", paused)}, paused: "MachineHealthCheck check-worker has the annotation " + clusterv1.PausedAnnotation},
		"it is, for an upgrade":   {checks: []client.Object{check("worker", map[string]string{clusterv1.PausedAnnotation: "upgrade"})}, paused: "MachineHealthCheck check-worker"},
		"it is on hold":           {checks: []client.Object{check("worker", hold)}, held: "MachineHealthCheck check-worker is on hold"},
		"another one is on hold":  {checks: []client.Object{check("master", hold)}},
		"one of two that select ": {checks: []client.Object{check("worker", paused), everything()}, paused: "MachineHealthCheck check-worker"},
	} {
		why, on, err := openshift.Paused(t.Context(), stored(t, tt.checks...), machine())
		if !strings.HasPrefix(why, tt.paused) || (why == "") != (tt.paused == "") || err != nil {
			t.Errorf("%s: paused: %q, %v", name, why, err)
		}
		held, until := mhcspec.OnHold(noon, on...)
		if !strings.HasPrefix(held, tt.held) || (held == "") != (tt.held == "") || (tt.held != "") != until.After(noon) {
			t.Errorf("%s: on hold: %q until %s", name, held, until)
		}
	}
}

// everything is a health check of all machines.
func everything() *machinev1.MachineHealthCheck {
	all := check("all", nil)
	all.Spec.Selector = metav1.LabelSelector{}
	return all
}

// TestCopied: a Machine is a copy, or becomes one, unless OpenShift says that it counts, or says nothing.
func TestCopied(t *testing.T) {
	for authority, want := range map[machinev1.MachineAuthority]bool{
		"": false, machinev1.MachineAuthorityMachineAPI: false, machinev1.MachineAuthorityClusterAPI: true, machinev1.MachineAuthorityMigrating: true,
	} {
		c := stored(t, machine(func(m *machinev1.Machine) { m.Status.AuthoritativeAPI = authority }))
		got, err := openshift.Copied(t.Context(), c, client.ObjectKey{Namespace: "ns", Name: "m"})
		if got != want || err != nil {
			t.Errorf("%q: %t, %v", authority, got, err)
		}
	}
	if got, err := openshift.Copied(t.Context(), stored(t), client.ObjectKey{Namespace: "ns", Name: "m"}); got || err != nil {
		t.Errorf("there is none: %t, %v", got, err)
	}
}
