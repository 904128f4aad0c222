package machinehealthcheck

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// templateKind is that of the templates of the tests.
var templateKind = env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)

// site is a Cluster with a MachineSet on the API server, and a Reconciler whose clock and workload
// cluster are fake. What the tests put into it are Machines with their verdicts.
type site struct {
	*Reconciler
	env      *env.Env
	ns       string
	cluster  *clusterv1.Cluster
	set      *clusterv1.MachineSet
	nodes    *fakenodes.Nodes
	clock    *testingclock.FakePassiveClock
	recorder *events.FakeRecorder
	// cache is what the Reconciler reads from; it lags behind when a test freezes it.
	cache *live.Lagging
	// machines are those created, by name.
	machines map[string]*clusterv1.Machine
}

func newSite(t *testing.T) *site {
	t.Helper()
	e := env.Get(t)
	w := &site{
		env: e, ns: e.Namespace(t), nodes: &fakenodes.Nodes{}, recorder: events.NewFakeRecorder(1000),
		clock:    testingclock.NewFakePassiveClock(time.Now().Truncate(time.Second).Add(time.Hour)),
		machines: map[string]*clusterv1.Machine{},
	}
	w.cluster, w.set = build.Cluster(w.ns, build.ClusterName), build.MachineSet(w.ns, "set")
	build.Create(t.Context(), t, e.Client, w.cluster, w.set)
	w.restart(e.Client)
	return w
}

// restart makes a new Reconciler, which knows nothing but what is stored, and writes with c.
func (w *site) restart(c client.Client) {
	w.cache = live.NewLagging(live.Client(c))
	w.Reconciler = &Reconciler{
		Client:    w.cache,
		Live:      w.env.Client,
		Observer:  &machinehealth.Observer{Nodes: w.nodes, GracePeriod: 5 * time.Minute},
		Selectors: &mhcspec.Selectors{},
		Recorder:  w.recorder,
		Clock:     w.clock,
		Parallel:  1,
	}
}

// check stores a MachineHealthCheck that selects all Machines of the site.
func (w *site) check(t *testing.T, opts ...build.MachineHealthCheckOption) *clusterv1.MachineHealthCheck {
	t.Helper()
	mhc := build.MachineHealthCheck(w.ns, "mhc", opts...)
	build.Create(t.Context(), t, w.env.Client, mhc)
	return mhc
}

// sick stores Machines whose Node is gone, and whose verdict says so.
func (w *site) sick(t *testing.T, name string, opts ...build.MachineOption) *clusterv1.Machine {
	t.Helper()
	return w.machine(t, name, append([]build.MachineOption{build.NodeRef(name), w.verdict(metav1.ConditionFalse)}, opts...)...)
}

// longSick stores a Machine that fell sick before the others.
func (w *site) longSick(t *testing.T, name string) *clusterv1.Machine {
	t.Helper()
	return w.sick(t, name, judgedAs(metav1.ConditionFalse, w.clock.Now().Add(-time.Hour)))
}

// healthy stores a Machine whose Node is there, and whose verdict says so.
func (w *site) healthy(t *testing.T, name string, opts ...build.MachineOption) *clusterv1.Machine {
	t.Helper()
	w.fitNode(name, metav1.ConditionTrue)
	return w.machine(t, name, append([]build.MachineOption{build.NodeRef(name), w.verdict(metav1.ConditionTrue)}, opts...)...)
}

// machine stores a Machine of the MachineSet without a verdict.
func (w *site) machine(t *testing.T, name string, opts ...build.MachineOption) *clusterv1.Machine {
	t.Helper()
	machine := build.Machine(w.ns, name, append([]build.MachineOption{build.OwnedBy(w.set)}, opts...)...)
	build.Create(t.Context(), t, w.env.Client, machine)
	w.machines[name] = machine
	return machine
}

// fitNode makes the Node of a Machine such that its verdict is right.
func (w *site) fitNode(name string, verdict metav1.ConditionStatus) {
	cluster := client.ObjectKeyFromObject(w.cluster)
	w.nodes.Remove(cluster, name)
	if verdict == metav1.ConditionTrue {
		w.nodes.Put(cluster, build.Node(name))
	}
}

// verdict fell ten minutes ago.
func (w *site) verdict(status metav1.ConditionStatus) build.ConditionOption {
	return judgedAs(status, w.clock.Now().Add(-10*time.Minute))
}

// judgedAs is what machinehealth stored.
func judgedAs(status metav1.ConditionStatus, since time.Time) build.ConditionOption {
	reasons := map[metav1.ConditionStatus]string{
		metav1.ConditionTrue:    verdict.ReasonSucceeded,
		metav1.ConditionFalse:   verdict.ReasonNodeNotFound,
		metav1.ConditionUnknown: verdict.ReasonWaitingForNodeRef,
	}
	return build.Condition(verdict.ConditionType, status, reasons[status], since)
}

func opts(list ...build.MachineHealthCheckOption) []build.MachineHealthCheckOption { return list }

func maxInFlight(value string) build.Option {
	return build.Annotation(mhcspec.MaxInFlightAnnotation, value)
}

func byReboot() build.Option {
	return build.Annotation(mhcspec.StrategyAnnotation, string(mhcspec.StrategyReboot))
}

func byTemplate() build.MachineHealthCheckFunc { return build.TemplateRef(templateKind, "fix") }

func handedOver() build.Option {
	return build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverValue)
}

// reconcile looks at a MachineHealthCheck and returns after how long it wants to do so again.
func (w *site) reconcile(t *testing.T, mhc *clusterv1.MachineHealthCheck) time.Duration {
	t.Helper()
	after, err := w.tryReconcile(t, mhc)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func (w *site) tryReconcile(t *testing.T, mhc *clusterv1.MachineHealthCheck) (time.Duration, error) {
	t.Helper()
	result, err := w.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(mhc)})
	return result.RequeueAfter, err
}

// freeze makes the Reconciler's reads lag behind from now on, but for those of the given types.
func (w *site) freeze(t *testing.T, mhc *clusterv1.MachineHealthCheck, upToDate ...runtime.Object) {
	t.Helper()
	w.cache.Freeze(upToDate...)
	if err := w.cache.Get(t.Context(), client.ObjectKeyFromObject(mhc), mhc.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.observe(t.Context(), mhc); err != nil {
		t.Fatal(err)
	}
}

// events returns the events since it was asked last, sorted.
func (w *site) events() []string {
	var list []string
	for len(w.recorder.Events) > 0 {
		list = append(list, <-w.recorder.Events)
	}
	slices.Sort(list)
	return list
}
