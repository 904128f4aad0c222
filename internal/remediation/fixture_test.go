package remediation

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recall"
	recordpkg "github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// fixture is a Cluster with a MachineSet and a MachineHealthCheck on the API server, and a Reconciler whose clock, workload
// cluster and gate are fake. Tests put Machines with their verdicts into it, and records of those.
type fixture struct {
	*Reconciler
	t       *testing.T
	env     *env.Env
	ns      string
	cluster *clusterv1.Cluster
	set     *clusterv1.MachineSet
	mhc     *clusterv1.MachineHealthCheck
	nodes   *fakenodes.Nodes
	clock   *testingclock.FakePassiveClock
	events  *events.FakeRecorder
	gate    *stubGate
	writes  *writes
	// cache is what the Reconciler reads from; it lags behind when a test freezes it.
	cache *live.Lagging
}

// newFixture stores a MachineHealthCheck that selects all Machines.
func newFixture(t *testing.T, opts ...build.MachineHealthCheckOption) *fixture {
	t.Helper()
	e := env.Get(t)
	ns := e.Namespace(t)
	f := &fixture{
		t: t, env: e, ns: ns, nodes: &fakenodes.Nodes{}, events: events.NewFakeRecorder(1000), gate: &stubGate{}, writes: newWrites(t, e),
		clock:   testingclock.NewFakePassiveClock(time.Now().Truncate(time.Second).Add(30 * time.Second)),
		cluster: build.Cluster(ns, build.ClusterName), set: build.MachineSet(ns, "set"), mhc: build.MachineHealthCheck(ns, "mhc", opts...),
	}
	build.Create(t.Context(), t, e.Client, f.cluster, f.set, f.mhc)
	f.restart()
	return f
}

// restart makes a new Reconciler, which knows nothing but what is stored.
func (f *fixture) restart() {
	f.cache = live.NewLagging(live.Client(f.writes.client))
	f.Reconciler = &Reconciler{
		Client:    f.cache,
		Live:      f.env.Client,
		Observer:  &machinehealth.Observer{Nodes: f.nodes, GracePeriod: 5 * time.Minute},
		Selectors: &mhcspec.Selectors{},
		Gate:      f.gate,
		Recorder:  f.events,
		Clock:     f.clock,

		sideBySide: true,
	}
}

func (f *fixture) clusterKey() client.ObjectKey { return client.ObjectKeyFromObject(f.cluster) }

// sick stores a Machine of the MachineSet whose Node is gone, and whose verdict says so.
func (f *fixture) sick(name string, opts ...build.MachineOption) *clusterv1.Machine {
	f.t.Helper()
	machine := build.Machine(f.ns, name, append([]build.MachineOption{
		build.OwnedBy(f.set), build.NodeRef(name), judgedAs(metav1.ConditionFalse, f.clock.Now().Add(-10*time.Minute)),
	}, opts...)...)
	build.Create(f.t.Context(), f.t, f.env.Client, machine)
	return machine
}

func judgedAs(status metav1.ConditionStatus, since time.Time) build.ConditionOption {
	reason, message := verdict.ReasonSucceeded, ""
	switch status {
	case metav1.ConditionFalse:
		reason, message = verdict.ReasonNodeNotFound, "Node not found"
	case metav1.ConditionUnknown:
		reason, message = verdict.ReasonNodeUnavailable, "Node cannot be read"
	default:
	}
	return build.Condition(verdict.ConditionType, status, reason, since).WithMessage(message)
}

// orphan is a Machine that no controller owns.
func orphan() build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) { m.OwnerReferences = nil })
}

// judge stores a new verdict on a Machine, and makes its Node fit.
func (f *fixture) judge(machine *clusterv1.Machine, status metav1.ConditionStatus) {
	f.t.Helper()
	f.nodes.Remove(f.clusterKey(), machine.Name)
	if status == metav1.ConditionTrue {
		f.nodes.Put(f.clusterKey(), build.Node(machine.Name))
	}
	changeStatus(f, machine, func(m *clusterv1.Machine) { setCondition(m, metav1.Condition(judgedAs(status, f.clock.Now()))) })
}

// recordOption changes the spec of a record.
type recordOption func(*v1alpha1.MachineRemediationSpec)

// admit stores the record of a Machine, with a slot, as machinehealthcheck does: by default with the built-in plan.
func (f *fixture) admit(machine *clusterv1.Machine, opts ...recordOption) *v1alpha1.MachineRemediation {
	f.t.Helper()
	return f.admitAgain(machine, 1, opts...)
}

func (f *fixture) admitAgain(machine *clusterv1.Machine, ordinal int, opts ...recordOption) *v1alpha1.MachineRemediation {
	f.t.Helper()
	config, _ := mhcspec.ParseConfig(f.mhc, nil)
	spec := v1alpha1.MachineRemediationSpec{
		ClusterName:    f.cluster.Name,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
		HealthCheckRef: v1alpha1.RemediationReference{Name: f.mhc.Name, UID: f.mhc.UID},
		Finding:        v1alpha1.RemediationFinding{Reason: verdict.ReasonNodeNotFound, Message: "Node not found", Since: metav1.NewTime(f.clock.Now())},
		Steps:          admission.BuiltInPlan(f.mhc, config),
		Grant:          1,
	}
	for _, opt := range opts {
		opt(&spec)
	}
	record := recordpkg.New(f.cluster, ordinal, spec)
	build.Create(f.t.Context(), f.t, f.env.Client, record)
	return record
}

// by has the record follow the steps of a plan, with a probation of a minute.
func by(steps ...v1alpha1.RemediationStep) recordOption {
	return func(s *v1alpha1.MachineRemediationSpec) {
		s.TemplateRef = &v1alpha1.PlanReference{Name: "plan", UID: "plan", Generation: 1}
		s.Steps, s.ProbationSeconds = steps, new(int32(60))
	}
}

func step(action v1alpha1.Action, opts ...func(*v1alpha1.RemediationStep)) v1alpha1.RemediationStep {
	s := v1alpha1.RemediationStep{Name: lower(string(action)), Action: action}
	if action != v1alpha1.ActionHold {
		s.TimeoutSeconds = new(int32(600))
	}
	for _, opt := range opts {
		opt(&s)
	}
	return s
}

// reconcile looks at a record until it settles, and returns after how long it wants to be looked at again.
func (f *fixture) reconcile(record *v1alpha1.MachineRemediation) time.Duration {
	f.t.Helper()
	after, err := f.tryReconcile(record)
	if err != nil {
		f.t.Fatal(err)
	}
	return after
}

// isBackoff reports whether a Reconciler waits because something has changed since it was read.
func isBackoff(wait time.Duration) bool {
	var all recall.Backoff
	for range 6 {
		if all.Next(client.ObjectKey{}) == wait {
			return true
		}
	}
	return false
}

func (f *fixture) tryReconcile(record *v1alpha1.MachineRemediation) (time.Duration, error) {
	f.t.Helper()
	for range 10 {
		result, err := f.once(f.t.Context(), record)
		if err != nil || !isBackoff(result.RequeueAfter) {
			return result.RequeueAfter, err
		}
	}
	f.t.Fatal("it does not settle")
	return 0, nil
}

func (f *fixture) once(ctx context.Context, record *v1alpha1.MachineRemediation) (ctrl.Result, error) {
	return f.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(record)})
}

// pass lets time pass.
func (f *fixture) pass(d time.Duration) { f.clock.SetTime(f.clock.Now().Add(d)) }

// freeze has the Reconciler's reads lag behind from now on.
func (f *fixture) freeze(record *v1alpha1.MachineRemediation) {
	f.t.Helper()
	f.cache.Freeze()
	seen := record.DeepCopy()
	if err := f.cache.Get(f.t.Context(), client.ObjectKeyFromObject(record), seen); err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.observe(f.t.Context(), seen, cached, nil); err != nil {
		f.t.Fatal(err)
	}
}

// announced returns the events since it was asked last, sorted.
func (f *fixture) announced() []string {
	var list []string
	for len(f.events.Events) > 0 {
		list = append(list, <-f.events.Events)
	}
	slices.Sort(list)
	return list
}

// stubGate lets everybody pass who is not held back.
type stubGate struct {
	mu           sync.Mutex
	closed, over string
	paced        string
	// firsts are those of the calls.
	firsts []bool
}

func (g *stubGate) GateClosed(_ context.Context, _ *clusterv1.MachineHealthCheck, _ *clusterv1.Cluster, first bool) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.firsts = append(g.firsts, first)
	return g.closed, nil
}

func (g *stubGate) OverBudget(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster) (string, error) {
	return g.over, nil
}

func (g *stubGate) Paced(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, *clusterv1.Machine) (string, error) {
	return g.paced, nil
}
