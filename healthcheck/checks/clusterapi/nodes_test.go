package clusterapi_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/clusterapi"
)

var (
	a       = clusterapi.Worker{Machine: "a", Node: "na", Ready: true}
	b       = clusterapi.Worker{Machine: "b", Node: "nb", Ready: true}
	broken  = clusterapi.Worker{Machine: "c", Node: "nc"}
	pending = clusterapi.Worker{Machine: "p"}
	failed  = clusterapi.Worker{Machine: "f", Failed: true}
	going   = clusterapi.Worker{Machine: "g", Node: "ng", Ready: true, Failed: true, Deleting: true}
)

func workers(desired int, w ...clusterapi.Worker) clusterapi.Workers {
	return clusterapi.Workers{Desired: desired, Workers: w}
}

func TestEnoughNodes(t *testing.T) {
	judge(t, clusterapi.EnoughNodes, map[string]row[clusterapi.Workers]{
		"none wanted":       {workers(0), passes},
		"enough":            {workers(2, a, b), passes},
		"enough and more":   {workers(1, a, b, broken, pending), passes},
		"failed":            {workers(1, a, failed), fails(clusterapi.ReasonMachinesFailed, "Machines have failed: f")},
		"going, all others": {workers(2, a, b, going), passes},
		"going is not one":  {workers(2, a, going), progresses(checks.ObservedWithin, clusterapi.ReasonMissingMachines, "Fewer than 2 Nodes are ready; machines are missing")},
		"none at all":       {workers(2), progresses(checks.ObservedWithin, clusterapi.ReasonMissingMachines, "Fewer than 2 Nodes are ready; machines are missing")},
		"one is pending":    {workers(2, a, pending), progresses(5*time.Minute, clusterapi.ReasonPendingMachines, "Fewer than 2 Nodes are ready; machines without a Node yet: p")},
		"one is broken":     {workers(3, a, pending, broken), progresses(5*time.Minute, clusterapi.ReasonNodesNotReady, "Fewer than 3 Nodes are ready; machines with a Node that is not: c")},
		"many are pending": {workers(9, pending, pending, pending, pending, pending, pending, a, b, b), progresses(5*time.Minute, clusterapi.ReasonPendingMachines,
			"Fewer than 9 Nodes are ready; machines without a Node yet: p, p, p, p, p, and more")},
	})
}

func TestNoSurplusNodes(t *testing.T) {
	judge(t, clusterapi.NoSurplusNodes, map[string]row[clusterapi.Workers]{
		"as wanted":  {workers(2, a, b), passes},
		"too few":    {workers(3, a, b), passes},
		"too many":   {workers(1, b, a), progresses(checks.DrainedWithin, clusterapi.ReasonTooManyMachines, "There are more than 1 machines")},
		"one leaves": {workers(1, a, going), progresses(checks.DrainedWithin, clusterapi.ReasonDrainingMachines, "Machines are being deleted: g")},
	})
}

func TestWorkersOf(t *testing.T) {
	deployments := []clusterv1.MachineDeployment{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "md"}, Spec: clusterv1.MachineDeploymentSpec{Replicas: ptr.To[int32](3)}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "one"}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "gone", DeletionTimestamp: new(metav1.Now())}, Spec: clusterv1.MachineDeploymentSpec{Replicas: ptr.To[int32](5)}},
	}
	machine := func(name, owner, node string) clusterv1.Machine {
		m := clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{clusterv1.MachineDeploymentNameLabel: owner}}}
		m.Status.NodeRef.Name = node
		return m
	}
	failed, going := machine("f", "md", ""), machine("g", "md", "n3")
	failed.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineHealthCheckSucceededCondition, Status: metav1.ConditionFalse}}
	going.DeletionTimestamp = new(metav1.Now())
	elsewhere := machine("e", "md", "n1")
	elsewhere.Namespace = "other"
	machines := []clusterv1.Machine{
		machine("a", "md", "n1"), machine("b", "one", "n2"), machine("c", "md", "n9"), machine("p", "md", ""), failed, going,
		machine("x", "gone", "n1"), machine("control-plane", "", "n1"), elsewhere,
	}
	node := func(name string, ready corev1.ConditionStatus) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue}, {Type: corev1.NodeReady, Status: ready},
		}}}
	}
	nodes := []corev1.Node{node("n1", corev1.ConditionTrue), node("n2", corev1.ConditionUnknown), node("n3", corev1.ConditionTrue), {}}
	want := clusterapi.Workers{Desired: 4, Workers: []clusterapi.Worker{
		{Machine: "a", Node: "n1", Ready: true}, {Machine: "b", Node: "n2"}, {Machine: "c", Node: "n9"}, {Machine: "p"},
		{Machine: "f", Failed: true}, {Machine: "g", Node: "n3", Ready: true, Deleting: true},
	}}
	if diff := cmp.Diff(want, clusterapi.WorkersOf(deployments, machines, nodes)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestNodes puts machines into the source cluster and their Nodes into the target cluster.
func TestNodes(t *testing.T) {
	s := runtime.NewScheme()
	if err := clusterv1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	machine := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "m", Labels: map[string]string{clusterv1.MachineDeploymentNameLabel: "md"}}}
	machine.Status.NodeRef.Name = "n"
	deployment := func(namespace string) *clusterv1.MachineDeployment {
		return &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "md"}}
	}
	source := fake.NewClientBuilder().WithScheme(s).WithObjects(deployment("shop"), deployment("elsewhere"), machine).Build()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	check := clusterapi.Nodes("nodes", func(ns *corev1.Namespace) []client.ListOption {
		return []client.ListOption{client.InNamespace(ns.Name)}
	}, clusterapi.EnoughNodes)
	if check.Needs != healthcheck.NeedsSource|healthcheck.NeedsTarget {
		t.Errorf("it needs %v, want both clusters", check.Needs)
	}
	for name, tt := range map[string]struct {
		target client.Reader
		want   healthcheck.Result
	}{
		"there": {fake.NewFakeClient(node), passes},
		"gone":  {fake.NewFakeClient(), progresses(5*time.Minute, clusterapi.ReasonNodesNotReady, "Fewer than 1 Nodes are ready; machines with a Node that is not: m")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := check.Check.Check(t.Context(), healthcheck.Input[*corev1.Namespace]{Object: shop, Env: healthcheck.Env{Source: source, Target: tt.target}})
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got)\n%s", err, diff)
			}
		})
	}
}

// TestNodesCannotBeListed: objects that cannot be listed are an error, which the engine makes Unknown, and
// never a pass.
func TestNodesCannotBeListed(t *testing.T) {
	refused := errors.New("refused")
	broken := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return refused },
	}).Build()
	check := clusterapi.Nodes("nodes", func(*corev1.Namespace) []client.ListOption { return nil }, clusterapi.EnoughNodes)
	in := healthcheck.Input[*corev1.Namespace]{Object: &corev1.Namespace{}, Env: healthcheck.Env{Source: broken, Target: broken}}
	got, err := check.Check.Check(t.Context(), in)
	if !errors.Is(err, refused) || err.Error() != "listing MachineDeployments: refused" || got.Status == healthcheck.True {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestNodesOfAClusterThatIsNotReached: the text is the same each time, without the local port.
func TestNodesOfAClusterThatIsNotReached(t *testing.T) {
	port := 50000
	unreachable := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			port++
			return &url.Error{Op: "Get", URL: "https://10.0.0.1:6443/api/v1/nodes", Err: &net.OpError{
				Op: "read", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: port}, Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 6443}, Err: syscall.ECONNRESET,
			}}
		},
	}).Build()
	check := clusterapi.Nodes("nodes", func(*corev1.Namespace) []client.ListOption { return nil }, clusterapi.EnoughNodes)
	in := healthcheck.Input[*corev1.Namespace]{Object: &corev1.Namespace{}, Env: healthcheck.Env{Source: unreachable, Target: unreachable}}
	_, first := check.Check.Check(t.Context(), in)
	_, second := check.Check.Check(t.Context(), in)
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("the errors are %v and %v", first, second)
	}
}
