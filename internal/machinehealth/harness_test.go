package machinehealth

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// harness is a healthy Machine with its Cluster, Node and MachineHealthCheck on
// the API server, and a Reconciler whose clock and workload clusters are fake.
type harness struct {
	*Reconciler
	t       *testing.T
	env     *env.Env
	clock   *testingclock.FakePassiveClock
	nodes   *fakenodes.Nodes
	events  *events.FakeRecorder
	cluster *clusterv1.Cluster
	mhc     *clusterv1.MachineHealthCheck
	machine *clusterv1.Machine
	// start is when the clock starts: a minute after the Machine was created.
	start time.Time
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	e := env.Get(t)
	ns := e.Namespace(t)
	f := &harness{
		t: t, env: e, nodes: &fakenodes.Nodes{}, events: events.NewFakeRecorder(10),
		cluster: build.Cluster(ns, build.ClusterName),
		machine: build.Machine(ns, "m", build.NodeRef("node")),
		mhc: build.MachineHealthCheck(ns, "mhc",
			build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 5*time.Minute),
			build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, 5*time.Minute)),
	}
	build.Create(t.Context(), t, e.Client, f.cluster, f.mhc, f.machine)
	f.start = f.machine.CreationTimestamp.Add(time.Minute)
	f.clock = testingclock.NewFakePassiveClock(f.start)
	f.nodes.Put(f.clusterKey(), build.Node("node"))
	f.restart()
	return f
}

// restart makes a new Reconciler, which knows only what is stored.
func (f *harness) restart() {
	f.Reconciler = &Reconciler{
		Client:    live.Client(f.env.Client),
		Observer:  &Observer{Nodes: f.nodes, GracePeriod: 5 * time.Minute},
		Selectors: &mhcspec.Selectors{},
		Recorder:  f.events,
		Clock:     f.clock,
	}
}

func (f *harness) clusterKey() client.ObjectKey { return mhcspec.ClusterOf(f.machine) }

// reconcile judges the Machine, and returns when it wants to judge it again.
func (f *harness) reconcile() time.Duration {
	f.t.Helper()
	result, err := f.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)})
	if err != nil {
		f.t.Fatal(err)
	}
	return result.RequeueAfter
}

// breakNode makes the Node not ready since the start of the clock.
func (f *harness) breakNode() {
	f.nodes.Put(f.clusterKey(), build.Node("node", build.NodeReady(metav1.ConditionFalse, f.start)))
}

// sicken brings the Machine to a stored verdict of False.
func (f *harness) sicken() {
	f.t.Helper()
	f.nodes.Remove(f.clusterKey(), "node")
	f.reconcile()
}

// change stores a change of the metadata or spec of an object.
func change[T client.Object](f *harness, obj T, apply func(T)) {
	f.t.Helper()
	objects.Change(f.t, f.env.Client, obj, apply)
}

func (f *harness) delete(obj client.Object) {
	f.t.Helper()
	objects.Delete(f.t, f.env.Client, obj)
}

// version returns the resource version of the Machine, which shows whether it was written.
func (f *harness) version() string {
	f.t.Helper()
	stored, _ := objects.Get(f.t, f.env.Client, f.machine)
	return stored.ResourceVersion
}

// stored asserts the whole verdict in the API server.
func (f *harness) stored(status metav1.ConditionStatus, reason, message string) {
	f.t.Helper()
	expect.ConditionIs(f.t.Context(), f.t, f.env.Client, f.machine, metav1.Condition{
		Type: "HealthCheckSucceeded", Status: status, Reason: reason, Message: message, ObservedGeneration: 1,
	})
}

// sees asserts the events since the last call.
func (f *harness) sees(want ...string) {
	f.t.Helper()
	if diff := cmp.Diff(want, expect.Events(f.events)); diff != "" {
		f.t.Errorf("events (-want +got):\n%s", diff)
	}
}
