package machinehealth

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// fixture is a healthy Machine with its Cluster, Node and MachineHealthCheck on
// the API server, and a Reconciler whose clock and workload clusters are fake.
type fixture struct {
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

func newFixture(t *testing.T) *fixture {
	t.Helper()
	e := env.Get(t)
	ns := e.Namespace(t)
	f := &fixture{
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
func (f *fixture) restart() {
	f.Reconciler = &Reconciler{
		Client:    live.Client(f.env.Client),
		Observer:  &Observer{Nodes: f.nodes, GracePeriod: 5 * time.Minute},
		Selectors: &mhcspec.Selectors{},
		Recorder:  f.events,
		Clock:     f.clock,
	}
}

func (f *fixture) clusterKey() client.ObjectKey { return mhcspec.ClusterOf(f.machine) }

// reconcile judges the Machine, and returns when it wants to judge it again.
func (f *fixture) reconcile() time.Duration {
	f.t.Helper()
	result, err := f.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)})
	if err != nil {
		f.t.Fatal(err)
	}
	return result.RequeueAfter
}

// breakNode makes the Node not ready since the start of the clock.
func (f *fixture) breakNode() {
	f.nodes.Put(f.clusterKey(), build.Node("node", build.NodeReady(metav1.ConditionFalse, f.start)))
}

// sicken brings the Machine to a stored verdict of False.
func (f *fixture) sicken() {
	f.t.Helper()
	f.nodes.Remove(f.clusterKey(), "node")
	f.reconcile()
}

// change stores a change of the metadata or spec of an object.
func change[T client.Object](f *fixture, obj T, apply func(T)) {
	f.t.Helper()
	f.store(obj, func(o client.Object) { apply(o.(T)) }, func(o client.Object) error { return f.env.Client.Update(f.t.Context(), o) })
}

// store stores a change, retrying if the controller writes to the object at the same
// moment.
func (f *fixture) store(obj client.Object, apply func(client.Object), write func(client.Object) error) {
	f.t.Helper()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		stored := obj.DeepCopyObject().(client.Object)
		if err := f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(obj), stored); err != nil {
			return err
		}
		apply(stored)
		return write(stored)
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) delete(obj client.Object) {
	f.t.Helper()
	if err := f.env.Client.Delete(f.t.Context(), obj); err != nil {
		f.t.Fatal(err)
	}
}

// version returns the resource version of the Machine, which shows whether it was written.
func (f *fixture) version() string {
	f.t.Helper()
	stored := &clusterv1.Machine{}
	if err := f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.machine), stored); err != nil {
		f.t.Fatal(err)
	}
	return stored.ResourceVersion
}
