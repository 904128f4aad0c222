package remediation

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// harness is a Cluster with a MachineSet and a MachineHealthCheck on the API server, and a Reconciler whose clock, workload
// cluster and gate are fake. Tests put Machines with their verdicts into it, and records of those.
type harness struct {
	*Reconciler
	t        *testing.T
	env      *env.Env
	ns       string
	cluster  *clusterv1.Cluster
	set      *clusterv1.MachineSet
	mhc      *clusterv1.MachineHealthCheck
	nodes    *fakenodes.Nodes
	clock    *testingclock.FakePassiveClock
	recorder *events.FakeRecorder
	gate     *stubGate
	writes   *writes
	// cache is what the Reconciler reads from; it lags behind when a test freezes it.
	cache *live.Lagging
}

// newHarness stores a MachineHealthCheck that selects all Machines.
func newHarness(t *testing.T, opts ...build.MachineHealthCheckOption) *harness {
	t.Helper()
	e := env.Get(t)
	ns := e.Namespace(t)
	f := &harness{
		t: t, env: e, ns: ns, nodes: &fakenodes.Nodes{}, recorder: events.NewFakeRecorder(1000), gate: &stubGate{}, writes: newWrites(t, e),
		clock:   testingclock.NewFakePassiveClock(time.Now().Truncate(time.Second).Add(30 * time.Second)),
		cluster: build.Cluster(ns, build.ClusterName), set: build.MachineSet(ns, "set"), mhc: build.MachineHealthCheck(ns, "mhc", opts...),
	}
	build.Create(t.Context(), t, e.Client, f.cluster, f.set, f.mhc)
	f.restart()
	return f
}

// restart makes a new Reconciler, which knows nothing but what is stored.
func (f *harness) restart() {
	f.cache = live.NewLagging(live.Client(f.writes.client))
	f.Reconciler = &Reconciler{
		Client: f.cache,
		Reader: Reader{
			Reader: slots.Reader{
				Cache:     f.cache,
				Live:      f.env.Client,
				Observer:  &machinehealth.Observer{Nodes: f.nodes, GracePeriod: 5 * time.Minute},
				Selectors: &mhcspec.Selectors{},
				Clock:     f.clock,
			},
			Gatekeeper: f.gate,
		},
		Recorder: f.recorder,
	}
}

func (f *harness) clusterKey() client.ObjectKey { return client.ObjectKeyFromObject(f.cluster) }

// sick stores a Machine of the MachineSet whose Node is gone, and whose verdict says so.
func (f *harness) sick(name string, opts ...build.MachineOption) *clusterv1.Machine {
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
func (f *harness) judge(machine *clusterv1.Machine, status metav1.ConditionStatus) {
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
func (f *harness) admit(machine *clusterv1.Machine, opts ...recordOption) *v1alpha1.MachineRemediation {
	f.t.Helper()
	return f.admitAgain(machine, 1, opts...)
}

func (f *harness) admitAgain(machine *clusterv1.Machine, ordinal int, opts ...recordOption) *v1alpha1.MachineRemediation {
	f.t.Helper()
	config, _ := mhcspec.ParseConfig(f.mhc, nil)
	spec := v1alpha1.MachineRemediationSpec{
		ClusterName:    f.cluster.Name,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
		HealthCheckRef: v1alpha1.RemediationReference{Name: f.mhc.Name, UID: f.mhc.UID},
		Finding:        v1alpha1.RemediationFinding{Reason: verdict.ReasonNodeNotFound, Message: "Node not found", Since: metav1.NewTime(f.clock.Now())},
		Steps:          admission.BuiltInPlan(f.mhc, config, v1alpha1.RebootSettings{}),
		Grant:          1,
	}
	for _, opt := range opts {
		opt(&spec)
	}
	record := recordstore.New(f.cluster, ordinal, spec)
	recordstore.Filter(record, f.mhc)
	if owner := onmachine.OwnerAnnotation(machine, spec.Steps); owner != nil {
		maps.Copy(record.Annotations, owner)
		maps.Copy(record.Annotations, pacing.Annotations(machine))
	}
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
func (f *harness) reconcile(record *v1alpha1.MachineRemediation) time.Duration {
	f.t.Helper()
	after, err := f.tryReconcile(record)
	if err != nil {
		f.t.Fatal(err)
	}
	return after
}

// isBackoff reports whether a Reconciler waits because something has changed since it was read.
func isBackoff(wait time.Duration) bool {
	var all controllerstate.Memory[struct{}]
	for range 6 {
		if all.Conflict(client.ObjectKey{}) == wait {
			return true
		}
	}
	return false
}

func (f *harness) tryReconcile(record *v1alpha1.MachineRemediation) (time.Duration, error) {
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

func (f *harness) once(ctx context.Context, record *v1alpha1.MachineRemediation) (ctrl.Result, error) {
	return f.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(record)})
}

// pass lets time pass.
func (f *harness) pass(d time.Duration) { f.clock.SetTime(f.clock.Now().Add(d)) }

// freeze has the Reconciler's reads lag behind from now on.
func (f *harness) freeze(record *v1alpha1.MachineRemediation) {
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

// events returns the events since the last call, sorted.
func (f *harness) events() []string {
	return slices.Sorted(slices.Values(expect.Events(f.recorder)))
}

// stubGate lets everybody pass who is not held back.
type stubGate struct {
	mu           sync.Mutex
	closed, over string
	paced        string
	// onBudget is called while the budget is counted; it may be nil.
	onBudget func()
	// firsts are those of the calls.
	firsts []bool
	// suspected is what the gate says about conditions that too many Nodes show.
	suspected string
}

func (g *stubGate) GateClosed(_ context.Context, _ *clusterv1.MachineHealthCheck, _ *clusterv1.Cluster, first bool) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.firsts = append(g.firsts, first)
	return g.closed, nil
}

func (g *stubGate) Suspected(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, verdict.Facts) (string, error) {
	return g.suspected, nil
}

func (g *stubGate) OverBudget(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, *v1alpha1.MachineRemediationTemplate, slots.OpenRecords) (string, error) {
	if g.onBudget != nil {
		g.onBudget()
	}
	return g.over, nil
}

func (g *stubGate) Paced(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, *clusterv1.Machine) (string, error) {
	return g.paced, nil
}

// wantEvents asserts the events since it was asked last, each by its beginning.
func (f *harness) wantEvents(want ...string) {
	f.t.Helper()
	got := f.events()
	for i := range got {
		if i < len(want) && strings.HasPrefix(got[i], want[i]) {
			got[i] = want[i]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Errorf("events (-want +got):\n%s", diff)
	}
}

func setCondition(m *clusterv1.Machine, c metav1.Condition) {
	meta.RemoveStatusCondition(&m.Status.Conditions, c.Type)
	meta.SetStatusCondition(&m.Status.Conditions, c)
}

// answer has the owner of a Machine say something in the mark.
func (f *harness) answer(machine *clusterv1.Machine, reason, message string) {
	f.t.Helper()
	changeStatus(f, machine, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
			Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message,
		})
	})
}

// standing is what Sickbay has asked for on the Machines of the harness and their requests, as "machine: mark".
func (f *harness) standing() []string {
	f.t.Helper()
	var list []string
	machines := objects.List(f.t, f.env.Client, &clusterv1.MachineList{}, f.ns)
	for i := range machines.Items {
		m := &machines.Items[i]
		if c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition); c != nil && c.Status == metav1.ConditionFalse {
			list = append(list, m.Name+": mark")
		}
		if value, asked := m.Annotations[rebootannotation.Request]; asked && !rebootannotation.IsSign(value) {
			list = append(list, m.Name+": reboot")
		} else if asked && !f.cycling(value) {
			list = append(list, m.Name+": sign without a cycle")
		}
		if !m.DeletionTimestamp.IsZero() {
			list = append(list, m.Name+": deleting")
		}
	}
	for _, request := range append(f.objects(fixKind), f.objects(cycleKind)...) {
		list = append(list, request.GetKind()+" "+request.GetName())
	}
	slices.Sort(list)
	return list
}

// wantStanding asserts what Sickbay has asked for.
func (f *harness) wantStanding(want ...string) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.standing()); diff != "" {
		f.t.Fatalf("what was asked for (-want +got):\n%s", diff)
	}
}

var (
	templateKind = env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)
	fixKind      = env.RemediationGroupVersion.WithKind(env.RemediationKind)
	cycleKind    = v1alpha1.GroupVersion.WithKind("RebootRemediation")
)

// cycling reports whether the RebootRemediation of an operation exists.
func (f *harness) cycling(operation string) bool {
	f.t.Helper()
	return slices.ContainsFunc(f.objects(cycleKind), func(u unstructured.Unstructured) bool {
		return u.GetAnnotations()[v1alpha1.OperationAnnotation] == operation
	})
}

// cycle stores in the status of the latest RebootRemediation of a record what the reboot controller would, which does not run in these tests.
func (f *harness) cycle(record *v1alpha1.MachineRemediation, says func(*v1alpha1.RebootRemediationStatus)) {
	f.t.Helper()
	got, _ := stored(f, record)
	cycle := &v1alpha1.RebootRemediation{}
	cycle.Namespace, cycle.Name = f.ns, ladder.Last(&got.Status).ObjectRef.Name
	changeStatus(f, cycle, func(c *v1alpha1.RebootRemediation) { says(&c.Status) })
}

// cycleBegins has the reboot controller begin the cycle of the attempt at work.
func (f *harness) cycleBegins(record *v1alpha1.MachineRemediation) {
	f.t.Helper()
	f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) { s.BeganAt = new(metav1.NewTime(f.clock.Now())) })
}

// cycleSays sets a condition of the cycle of the attempt at work.
func (f *harness) cycleSays(record *v1alpha1.MachineRemediation, conditionType string, status metav1.ConditionStatus, reason, message string) {
	f.t.Helper()
	f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) {
		meta.SetStatusCondition(&s.Conditions, metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: message})
	})
}

func (f *harness) objects(kind schema.GroupVersionKind) []unstructured.Unstructured {
	f.t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := f.env.Client.List(f.t.Context(), list, client.InNamespace(f.ns)); err != nil {
		f.t.Fatal(err)
	}
	return list.Items
}

// summary is what the status of a record says in short: the phase, the reason of Progressing, and the results of the
// attempts; how it ended, if it has.
func (f *harness) summary(record *v1alpha1.MachineRemediation) string {
	f.t.Helper()
	got, ok := stored(f, record)
	if !ok {
		return "gone"
	}
	words := []string{string(got.Status.Phase), ladder.Progress(&got.Status).Reason}
	if c := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSucceeded); c != nil {
		words = append(words, c.Reason)
	}
	for i := range got.Status.Attempts {
		attempt := &got.Status.Attempts[i]
		result := string(attempt.Result)
		step, _ := ladder.StepNamed(got, attempt.Step)
		switch {
		case result == "" && attempt.ObjectRef == nil && step.Action != v1alpha1.ActionWait:
			result = "intended"
		case result == "":
			result = "-"
		}
		words = append(words, attempt.Step+":"+result)
	}
	return strings.Join(words, " ")
}

func (f *harness) wantRecord(record *v1alpha1.MachineRemediation, want string) {
	f.t.Helper()
	if got := f.summary(record); got != want {
		r, _ := stored(f, record)
		f.t.Fatalf("record is %q, want %q; it says: %s", got, want, ladder.Progress(&r.Status).Message)
	}
}

// wantSlot asserts whether a record has a slot.
func (f *harness) wantSlot(record *v1alpha1.MachineRemediation, want bool) {
	f.t.Helper()
	if got, _ := stored(f, record); (got.Spec.Grant > got.Status.ReleasedGrant && got.Status.CompletionTime == nil) != want {
		f.t.Fatalf("grant %d, released %d: want a slot: %t", got.Spec.Grant, got.Status.ReleasedGrant, want)
	}
}

func lower(s string) string { return strings.ToLower(s) }

// template stores the template that byTemplate refers to.
func (f *harness) template() *unstructured.Unstructured {
	f.t.Helper()
	template := build.RemediationTemplate(templateKind, f.ns, "fix", map[string]any{"how": "gently"})
	build.Create(f.t.Context(), f.t, f.env.Client, template)
	return template
}

func byTemplate() build.MachineHealthCheckFunc { return build.TemplateRef(templateKind, "fix") }

func byReboot() build.Option { return build.Annotation("sickbay.dev/remediation", "reboot") }

// rows runs a table in parallel.
func rows[T any](t *testing.T, tests map[string]T, run func(t *testing.T, tt T)) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, tt)
		})
	}
}

// stored reads an object live; false if there is none, or another one has its name.
func stored[T client.Object](f *harness, obj T) (T, bool) {
	f.t.Helper()
	return objects.Get(f.t, f.env.Client, obj)
}

// change stores a change of the metadata or spec of an object.
func change[T client.Object](f *harness, obj T, apply func(T)) {
	f.t.Helper()
	objects.Change(f.t, f.env.Client, obj, apply)
}

// changeStatus stores a change of the status of an object.
func changeStatus[T client.Object](f *harness, obj T, apply func(T)) {
	f.t.Helper()
	objects.ChangeStatus(f.t, f.env.Client, obj, apply)
}

func annotate[T client.Object](f *harness, obj T, key, value string) {
	f.t.Helper()
	objects.Annotate(f.t, f.env.Client, obj, key, value)
}

func unannotate[T client.Object](f *harness, obj T, key string) {
	f.t.Helper()
	objects.Unannotate(f.t, f.env.Client, obj, key)
}

func remove(f *harness, obj client.Object) {
	f.t.Helper()
	objects.Delete(f.t, f.env.Client, obj)
}

// writes is a client whose writes are counted, and can be made to fail.
type writes struct {
	client client.Client

	mu   sync.Mutex
	made []string
	// meddle is called before each write that goes out; nil for none.
	meddle func(what string)
	// fail says what a write fails with, and whether it is carried out nevertheless; nil for none.
	fail func(what string) (err error, applied bool)
}

func newWrites(t *testing.T, e *env.Env) *writes {
	t.Helper()
	w := &writes{}
	w.client = e.Intercept(t, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return w.write("create", obj, func() error { return c.Create(ctx, obj, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return w.write("delete", obj, func() error { return c.Delete(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return w.write("patch", obj, func() error { return c.Patch(ctx, obj, patch, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return w.write("patch "+sub+" of", obj, func() error { return c.SubResource(sub).Patch(ctx, obj, patch, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			return w.write("update "+sub+" of", obj, func() error { return c.SubResource(sub).Update(ctx, obj, opts...) })
		},
	})
	return w
}

func (w *writes) write(verb string, obj client.Object, do func() error) error {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		kind = reflect.TypeOf(obj).Elem().Name()
	}
	what := fmt.Sprintf("%s %s %s", verb, kind, obj.GetName())
	if w.meddle != nil {
		w.meddle(what)
	}
	w.mu.Lock()
	w.made = append(w.made, what)
	w.mu.Unlock()
	if w.fail != nil {
		if err, applied := w.fail(what); err != nil && applied {
			return fmt.Errorf("%w: %w", err, do())
		} else if err != nil {
			return err
		}
	}
	return do()
}

// since returns the writes since it was asked last.
func (w *writes) since() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	made := w.made
	w.made = nil
	return made
}

// failing has the writes fail that contain a text.
func failing(text string, err error, applied bool) func(string) (error, bool) {
	return func(what string) (error, bool) {
		if !strings.Contains(what, text) {
			return nil, false
		}
		return err, applied
	}
}

// onceBefore meddles once, before the first write that contains a text.
func onceBefore(text string, meddle func()) func(string) {
	var once sync.Once
	return func(what string) {
		if strings.Contains(what, text) {
			once.Do(meddle)
		}
	}
}

// count counts the writes or the events that contain a text.
func count(made []string, text string) int {
	return len(slices.DeleteFunc(slices.Clone(made), func(what string) bool { return !strings.Contains(what, text) }))
}

// hooked is a reader with something to do before each object that it reads. If that is an error, it is the answer.
type hooked struct {
	client.Reader
	before func(key client.ObjectKey, obj client.Object) error
}

// Get implements client.Reader.
func (h hooked) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := h.before(key, obj); err != nil {
		return err
	}
	return h.Reader.Get(ctx, key, obj, opts...)
}

// refuses is a reader that may not read one kind.
func (f *harness) refuses(kind string, err error) client.Reader {
	return hooked{f.env.Client, func(_ client.ObjectKey, obj client.Object) error {
		if obj.GetObjectKind().GroupVersionKind().Kind == kind {
			return err
		}
		return nil
	}}
}

// counting is a reader that remembers what was read.
type counting struct {
	client.Reader

	mu   sync.Mutex
	read []string
}

// Get implements client.Reader.
func (c *counting) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	c.note(reflect.TypeOf(obj).Elem().Name() + " " + key.Name)
	return c.Reader.Get(ctx, key, obj, opts...)
}

// List implements client.Reader.
func (c *counting) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	c.note(reflect.TypeOf(list).Elem().Name())
	return c.Reader.List(ctx, list, opts...)
}

func (c *counting) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = append(c.read, what)
}

func (c *counting) sorted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(slices.Values(c.read))
}

func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(v1alpha1.AddToScheme, metal3v1.AddToScheme, machinev1.Install), env.WithCRDFiles("config/crd/sickbay*.yaml"),
		env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml"),
		env.WithCRDs(env.AnythingGoes(hostKind), env.AnythingGoes(controlPlaneKind)))
}
