package machinehealthcheck

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// templateKind is that of the templates of the tests.
var templateKind = env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)

// harness is a Cluster with a MachineSet on the API server, and a Reconciler whose clock and workload
// cluster are fake. What the tests put into it are Machines with their verdicts.
type harness struct {
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

func newHarness(t *testing.T) *harness {
	t.Helper()
	e := env.Get(t)
	w := &harness{
		env: e, ns: e.Namespace(t), nodes: &fakenodes.Nodes{}, recorder: events.NewFakeRecorder(1000),
		// The API server says when a deletion began. Its clock stays well on one side of ladder.DeletionTime.
		clock:    testingclock.NewFakePassiveClock(time.Now().Truncate(time.Second).Add(ladder.DeletionTime / 2)),
		machines: map[string]*clusterv1.Machine{},
	}
	w.cluster, w.set = build.Cluster(w.ns, build.ClusterName), build.MachineSet(w.ns, "set")
	build.Create(t.Context(), t, e.Client, w.cluster, w.set)
	w.restart(e.Client)
	return w
}

// restart makes a new Reconciler, which knows nothing but what is stored, and writes with c.
func (w *harness) restart(c client.Client) {
	w.cache = live.NewLagging(live.Client(c))
	w.Reconciler = &Reconciler{
		Client: w.cache,
		Reader: Reader{
			Reader: slots.Reader{
				Cache:     w.cache,
				Live:      w.env.Client,
				Observer:  &machinehealth.Observer{Nodes: w.nodes, GracePeriod: 5 * time.Minute},
				Selectors: &mhcspec.Selectors{},
				Clock:     w.clock,
			},
			Parallel: 1,
		},
		Recorder: w.recorder,
	}
}

// check stores a MachineHealthCheck that selects all Machines of the harness.
func (w *harness) check(t *testing.T, opts ...build.MachineHealthCheckOption) *clusterv1.MachineHealthCheck {
	t.Helper()
	mhc := build.MachineHealthCheck(w.ns, "mhc", opts...)
	build.Create(t.Context(), t, w.env.Client, mhc)
	return mhc
}

// sick stores Machines whose Node is gone, and whose verdict says so.
func (w *harness) sick(t *testing.T, name string, opts ...build.MachineOption) *clusterv1.Machine {
	t.Helper()
	return w.machine(t, name, append([]build.MachineOption{build.NodeRef(name), w.verdict(metav1.ConditionFalse)}, opts...)...)
}

// longSick stores a Machine that fell sick before the others.
func (w *harness) longSick(t *testing.T, name string) *clusterv1.Machine {
	t.Helper()
	return w.sick(t, name, build.Verdict(metav1.ConditionFalse, w.clock.Now().Add(-time.Hour)))
}

// healthy stores a Machine whose Node is there, and whose verdict says so.
func (w *harness) healthy(t *testing.T, name string, opts ...build.MachineOption) *clusterv1.Machine {
	t.Helper()
	w.fitNode(name, metav1.ConditionTrue)
	return w.machine(t, name, append([]build.MachineOption{build.NodeRef(name), w.verdict(metav1.ConditionTrue)}, opts...)...)
}

// machine stores a Machine of the MachineSet without a verdict.
func (w *harness) machine(t *testing.T, name string, opts ...build.MachineOption) *clusterv1.Machine {
	t.Helper()
	machine := build.Machine(w.ns, name, append([]build.MachineOption{build.OwnedBy(w.set)}, opts...)...)
	build.Create(t.Context(), t, w.env.Client, machine)
	w.machines[name] = machine
	return machine
}

// fitNode makes the Node of a Machine such that its verdict is right.
func (w *harness) fitNode(name string, verdict metav1.ConditionStatus) {
	cluster := client.ObjectKeyFromObject(w.cluster)
	w.nodes.Remove(cluster, name)
	if verdict == metav1.ConditionTrue {
		w.nodes.Put(cluster, build.Node(name))
	}
}

// verdict fell ten minutes ago.
func (w *harness) verdict(status metav1.ConditionStatus) build.ConditionOption {
	return build.Verdict(status, w.clock.Now().Add(-10*time.Minute))
}

func opts(list ...build.MachineHealthCheckOption) []build.MachineHealthCheckOption { return list }

func maxInFlight(value string) build.Option {
	return build.Annotation(mhcspec.MaxInFlightAnnotation, value)
}

func byReboot() build.Option {
	return build.Annotation(mhcspec.StrategyAnnotation, string(mhcspec.StrategyReboot))
}

func byTemplate() build.MachineHealthCheckFunc { return build.TemplateRef(templateKind, "fix") }

// reconcile looks at a MachineHealthCheck and returns after how long it wants to do so again.
func (w *harness) reconcile(t *testing.T, mhc *clusterv1.MachineHealthCheck) time.Duration {
	t.Helper()
	after, err := w.tryReconcile(t, mhc)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func (w *harness) tryReconcile(t *testing.T, mhc *clusterv1.MachineHealthCheck) (time.Duration, error) {
	t.Helper()
	result, err := w.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(mhc)})
	return result.RequeueAfter, err
}

// pass lets time pass.
func (w *harness) pass(d time.Duration) { w.clock.SetTime(w.clock.Now().Add(d)) }

// freeze makes the Reconciler's reads lag behind from now on, but for those of the given types.
func (w *harness) freeze(t *testing.T, mhc *clusterv1.MachineHealthCheck, upToDate ...runtime.Object) {
	t.Helper()
	w.cache.Freeze(upToDate...)
	if err := w.cache.Get(t.Context(), client.ObjectKeyFromObject(mhc), mhc.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.observe(t.Context(), mhc); err != nil {
		t.Fatal(err)
	}
}

// events returns the events since the last call, sorted.
func (w *harness) events() []string {
	return slices.Sorted(slices.Values(expect.Events(w.recorder)))
}

// wantEvents asserts the events since the last call.
func (w *harness) wantEvents(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// wantAdmitted asserts which Machines have an open record with a slot, as "machine: step", sorted.
func (w *harness) wantAdmitted(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.admitted(t)); diff != "" {
		t.Fatalf("admitted (-want +got):\n%s", diff)
	}
}

func (w *harness) admitted(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, r := range w.records(t) {
		if ladder.HasSlot(&r) {
			list = append(list, r.Spec.MachineRef.Name+": "+r.Spec.Steps[0].Name)
		}
	}
	slices.Sort(list)
	return list
}

// records returns all records.
func (w *harness) records(t *testing.T) []v1alpha1.MachineRemediation {
	t.Helper()
	list := objects.List(t, w.env.Client, &v1alpha1.MachineRemediationList{}, w.ns)
	return list.Items
}

// recordOf returns the latest record of a Machine.
func (w *harness) recordOf(t *testing.T, machine *clusterv1.Machine) *v1alpha1.MachineRemediation {
	t.Helper()
	var last *v1alpha1.MachineRemediation
	for _, r := range w.records(t) {
		if r.Spec.MachineRef.UID == machine.UID && (last == nil || recordstore.Ordinal(&r) > recordstore.Ordinal(last)) {
			last = &r
		}
	}
	if last == nil {
		t.Fatalf("machine %s has no record", machine.Name)
	}
	return last
}

// end ends the latest record of a Machine, as the remediation controller does.
func (w *harness) end(t *testing.T, machine *clusterv1.Machine) {
	t.Helper()
	r := w.recordOf(t, machine)
	changeStatus(t, w, r, func(r *v1alpha1.MachineRemediation) {
		at := metav1.NewTime(w.clock.Now())
		r.Status.CompletionTime = &at
	})
	change(t, w, r, func(r *v1alpha1.MachineRemediation) {
		delete(r.Labels, v1alpha1.OpenLabel)
		r.Finalizers = nil
	})
}

// stepBack gives the slot of the latest record of a Machine back; it wants another after a pause.
func (w *harness) stepBack(t *testing.T, machine *clusterv1.Machine, pause time.Duration) {
	t.Helper()
	changeStatus(t, w, w.recordOf(t, machine), func(r *v1alpha1.MachineRemediation) {
		at := metav1.NewTime(w.clock.Now().Add(pause))
		r.Status.Attempt, r.Status.Step, r.Status.ReleasedGrant, r.Status.NextTransitionTime = 1, r.Spec.Steps[0].Name, r.Spec.Grant, &at
		r.Status.SlotWanted = true
	})
}

// judge stores a new verdict on a Machine, and makes its Node fit.
func (w *harness) judge(t *testing.T, machine *clusterv1.Machine, status metav1.ConditionStatus) {
	t.Helper()
	w.fitNode(machine.Name, status)
	changeStatus(t, w, machine, func(m *clusterv1.Machine) {
		c := metav1.Condition(build.Verdict(status, w.clock.Now()))
		meta.RemoveStatusCondition(&m.Status.Conditions, c.Type)
		meta.SetStatusCondition(&m.Status.Conditions, c)
	})
}

// setGrant grants a record slots as another process would.
func setGrant(grant int32) func(*v1alpha1.MachineRemediation) {
	return func(r *v1alpha1.MachineRemediation) { r.Spec.Grant = grant }
}

// stored reads an object live, and reports whether it exists.
func stored[T client.Object](t *testing.T, w *harness, obj T) (T, bool) {
	t.Helper()
	return objects.Get(t, w.env.Client, obj)
}

// change stores a change of the metadata or spec of an object.
func change[T client.Object](t *testing.T, w *harness, obj T, apply func(T)) {
	t.Helper()
	objects.Change(t, w.env.Client, obj, apply)
}

// changeStatus stores a change of the status of an object.
func changeStatus[T client.Object](t *testing.T, w *harness, obj T, apply func(T)) {
	t.Helper()
	objects.ChangeStatus(t, w.env.Client, obj, apply)
}

func annotate[T client.Object](t *testing.T, w *harness, obj T, key, value string) {
	t.Helper()
	objects.Annotate(t, w.env.Client, obj, key, value)
}

func unannotate[T client.Object](t *testing.T, w *harness, obj T, key string) {
	t.Helper()
	objects.Unannotate(t, w.env.Client, obj, key)
}

func remove(t *testing.T, w *harness, obj client.Object) {
	t.Helper()
	objects.Delete(t, w.env.Client, obj)
}

// judges is the controller that gives verdicts, for the tests that need them to be made, and not just to
// stand: machinehealth with the clock, the Nodes and the events of the harness.
type judges struct {
	*machinehealth.Reconciler
	w *harness
}

func (w *harness) judges() judges {
	return judges{&machinehealth.Reconciler{
		Client: w.Client, Observer: w.Observer, Selectors: w.Selectors, Policy: w.Policy, Recorder: w.recorder, Clock: w.clock,
	}, w}
}

// judge gives the verdict on Machines. It returns after how long it wants to look at the last one again.
func (j judges) judge(t *testing.T, machines ...*clusterv1.Machine) time.Duration {
	t.Helper()
	var after time.Duration
	for _, machine := range machines {
		result, err := j.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(machine)})
		if err != nil {
			t.Fatal(err)
		}
		after = result.RequeueAfter
	}
	return after
}

var errBroken = errors.New("broken on purpose")

// brokenReader lists nothing.
type brokenReader struct{ client.Reader }

func (brokenReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errBroken
}

// refusing returns a client whose writes go through unless refuse returns an error for the name of
// the object. Applied reports whether the write is carried out before its error is returned.
func (w *harness) refusing(t *testing.T, refuse func(name string) (err error, applied bool)) client.Client {
	t.Helper()
	try := func(name string, write func() error) error {
		broken, applied := refuse(name)
		if broken == nil {
			return write()
		}
		if applied {
			return errors.Join(broken, write())
		}
		return broken
	}
	return w.env.Intercept(t, interceptor.Funcs{
		SubResourceApply: func(ctx context.Context, c client.Client, sub string, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			name := obj.(interface{ GetName() string }).GetName()
			return try(name, func() error { return c.SubResource(sub).Apply(ctx, obj, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return try(obj.GetName(), func() error { return c.Create(ctx, obj, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return try(obj.GetName(), func() error { return c.Delete(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return try(obj.GetName(), func() error { return c.Patch(ctx, obj, patch, opts...) })
		},
	})
}

// remove takes a Machine away for good.
func (w *harness) remove(t *testing.T, machine *clusterv1.Machine) {
	t.Helper()
	change(t, w, machine, func(m *clusterv1.Machine) { m.Finalizers = nil })
	remove(t, w, machine)
}
