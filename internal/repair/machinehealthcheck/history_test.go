package machinehealthcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/repair/slots"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// TestBudgetIsKeptThroughoutHistory: however verdicts, repairs, restarts, lost answers and lagging caches follow each other,
// never are more slots given than allowed, never has a machine two open records, and once all faults stop, nobody who is
// sick is left without a record as long as there are slots.
func TestBudgetIsKeptThroughoutHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 3).Draw(t, "limit")
		mhc := build.MachineHealthCheck("ns", "mhc", maxInFlight(fmt.Sprint(limit)))
		h := &history{memory: newMemory(mhc), limit: limit}
		h.Reconciler = h.reconciler()
		for i := range rapid.IntRange(1, 6).Draw(t, "machines") {
			h.judge(h.create(fmt.Sprintf("m%d", i)), metav1.ConditionFalse)
		}
		h.sync(t)
		t.Repeat(h.steps())
		h.settle(t)
	})
}

// history is what happens to an API server in memory.
type history struct {
	*memory
	*Reconciler
	limit int
	born  int
}

func (h *history) steps() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":          h.check,
		"reconcile": h.reconcile,
		"restart": func(t *rapid.T) {
			h.Reconciler = h.reconciler()
			h.reconcile(t)
		},
		"sync":          h.sync,
		"wait":          h.wait,
		"judge":         h.judgeOne,
		"go on":         h.goOn,
		"machine goes":  h.goAway,
		"fail the next": h.failNext,
	}
}

func (h *history) reconcile(*rapid.T) {
	_, _ = h.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(h.mhc)})
}

// sync brings one of the caches up to date, or both.
func (h *history) sync(t *rapid.T) {
	which := rapid.IntRange(0, 2).Draw(t, "which")
	if which != 0 {
		h.syncMachines()
	}
	if which != 1 {
		h.syncRecords()
	}
}

// judgeOne changes a Machine's verdict.
func (h *history) judgeOne(t *rapid.T) {
	h.judge(h.draw(t), rapid.SampledFrom([]metav1.ConditionStatus{
		metav1.ConditionFalse, metav1.ConditionFalse, metav1.ConditionTrue, metav1.ConditionUnknown,
	}).Draw(t, "verdict"))
}

// goOn is what the remediation controller does about a record: it gives its slot back, or ends it.
func (h *history) goOn(t *rapid.T) {
	names := slices.Sorted(maps.Keys(h.live.records))
	if len(names) == 0 {
		return
	}
	r := h.live.records[rapid.SampledFrom(names).Draw(t, "record")]
	if ladder.Ended(r) {
		return
	}
	at := metav1.NewTime(h.clock.Now().Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "pause")) * time.Second))
	if rapid.Bool().Draw(t, "ends") {
		r.Status.CompletionTime = &at
		if rapid.Bool().Draw(t, "closed") {
			delete(r.Labels, v1alpha1.OpenLabel)
		}
	} else {
		r.Status.Attempt, r.Status.Step, r.Status.ReleasedGrant, r.Status.NextTransitionTime = 1, r.Spec.Steps[0].Name, r.Spec.Grant, &at
		r.Status.SlotWanted = true
	}
	r.ResourceVersion = h.nextVersion()
}

// goAway replaces a Machine by another of its name.
func (h *history) goAway(t *rapid.T) { h.create(h.draw(t).Name) }

// failNext makes the next write of a record fail: the answer gets lost, or the API refuses.
func (h *history) failNext(t *rapid.T) {
	h.fail = rapid.SampledFrom([]error{context.DeadlineExceeded, apierrors.NewBadRequest("refused")}).Draw(t, "error")
	h.failFor = h.draw(t).Name
	h.lost = errors.Is(h.fail, context.DeadlineExceeded) && rapid.Bool().Draw(t, "carried out")
}

func (h *history) check(t *rapid.T) {
	if n := h.inFlight(); n > h.limit {
		t.Fatalf("%d in flight, of at most %d", n, h.limit)
	}
	for _, r := range h.live.records {
		if open := h.openOf(r.Spec.MachineRef.UID); len(open) > 1 {
			t.Fatalf("machine %s has %d open records", r.Spec.MachineRef.Name, len(open))
		}
	}
}

func (h *history) wait(t *rapid.T) {
	h.clock.SetTime(h.clock.Now().Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * time.Second))
}

// settle lets all faults stop. What is then due has to be admitted within three looks.
func (h *history) settle(t *rapid.T) {
	h.fail = nil
	for range 3 {
		h.clock.SetTime(h.clock.Now().Add(10 * time.Minute))
		h.syncMachines()
		h.syncRecords()
		h.reconcile(t)
		h.check(t)
	}
	if h.inFlight() == h.limit {
		return
	}
	for name, machine := range h.live.machines {
		sick := meta.IsStatusConditionFalse(machine.Status.Conditions, verdict.ConditionType)
		open := h.openOf(machine.UID)
		if sick && (len(open) == 0 || !ladder.HasSlot(open[0])) {
			t.Fatalf("%s waits, though %d of %d slots are taken: %v", name, h.inFlight(), h.limit, open)
		}
	}
}

func (h *history) draw(t *rapid.T) *clusterv1.Machine {
	names := slices.Sorted(maps.Keys(h.live.machines))
	return h.live.machines[rapid.SampledFrom(names).Draw(t, "machine")]
}

// create makes a new Machine, in place of one of the same name.
func (h *history) create(name string) *clusterv1.Machine {
	h.born++
	machine := build.Machine("ns", name, build.NodeRef(name), build.UID(types.UID(fmt.Sprint(h.born))))
	machine.Finalizers = nil
	h.live.machines[name] = machine
	return machine
}

// judge stores a verdict.
func (h *history) judge(machine *clusterv1.Machine, status metav1.ConditionStatus) {
	meta.RemoveStatusCondition(&machine.Status.Conditions, verdict.ConditionType)
	meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition(build.Verdict(status, h.clock.Now())))
}

// memory is an API server in memory with caches that lag behind it, for the histories: it is fast
// enough to live through thousands of them. It keeps just what a Reconciler reads and writes.
type memory struct {
	mu      sync.Mutex
	mhc     *clusterv1.MachineHealthCheck
	cluster *clusterv1.Cluster
	live    contents
	cache   contents
	clock   *testingclock.FakePassiveClock
	nodes   *fakenodes.Nodes
	version int
	// fail, if set, is what the next write of a record of that machine fails with; lost reports that it is carried out
	// nevertheless.
	fail    error
	failFor string
	lost    bool
}

type contents struct {
	machines map[string]*clusterv1.Machine
	records  map[string]*v1alpha1.MachineRemediation
}

func newMemory(mhc *clusterv1.MachineHealthCheck) *memory {
	w := &memory{
		mhc: mhc, cluster: build.Cluster("ns", build.ClusterName, build.UID("cluster")), nodes: &fakenodes.Nodes{},
		clock: testingclock.NewFakePassiveClock(build.Epoch),
		live:  contents{map[string]*clusterv1.Machine{}, map[string]*v1alpha1.MachineRemediation{}},
	}
	mhc.UID = "mhc"
	mhc.OwnerReferences = []metav1.OwnerReference{{UID: w.cluster.UID}}
	w.syncMachines()
	w.syncRecords()
	return w
}

// reconciler is one process: it remembers nothing of those before.
func (w *memory) reconciler() *Reconciler {
	return &Reconciler{
		Client: view{memory: w, state: &w.cache},
		Reader: Reader{
			Reader: slots.Reader{
				Cache: view{memory: w, state: &w.cache}, Live: view{memory: w, state: &w.live}, Clock: w.clock,
				Observer: &machinehealth.Observer{Nodes: w.nodes}, Selectors: &mhcspec.Selectors{},
			},
			Parallel: 1,
		},
		Recorder: &events.FakeRecorder{},
	}
}

func (w *memory) syncMachines() {
	w.cache.machines = map[string]*clusterv1.Machine{}
	for name, machine := range w.live.machines {
		w.cache.machines[name] = machine.DeepCopy()
	}
}

func (w *memory) syncRecords() {
	w.cache.records = map[string]*v1alpha1.MachineRemediation{}
	for name, r := range w.live.records {
		w.cache.records[name] = r.DeepCopy()
	}
}

func (w *memory) nextVersion() string {
	w.version++
	return strconv.Itoa(w.version)
}

// openOf returns the open records of a machine.
func (w *memory) openOf(machine types.UID) []*v1alpha1.MachineRemediation {
	var open []*v1alpha1.MachineRemediation
	for _, name := range slices.Sorted(maps.Keys(w.live.records)) {
		if r := w.live.records[name]; r.Spec.MachineRef.UID == machine && !ladder.Ended(r) {
			open = append(open, r)
		}
	}
	return open
}

// inFlight returns how many records have a slot, whatever the caches say.
func (w *memory) inFlight() int {
	n := 0
	for _, r := range w.live.records {
		if ladder.HasSlot(r) {
			n++
		}
	}
	return n
}

// write carries a write of a record out, or has it fail.
func (w *memory) write(machine string, carryOut func() error) error {
	if w.fail == nil || w.failFor != machine {
		return carryOut()
	}
	fail := w.fail
	w.fail = nil
	if w.lost {
		_ = carryOut()
	}
	return fail
}

// view is what a client sees: the cache, or what is there.
type view struct {
	client.Client
	*memory
	state *contents
}

func (v view) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	missing := apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	switch o := obj.(type) {
	case *clusterv1.MachineHealthCheck:
		v.mhc.DeepCopyInto(o)
	case *clusterv1.Cluster:
		v.cluster.DeepCopyInto(o)
	case *clusterv1.Machine:
		machine, ok := v.state.machines[key.Name]
		if !ok {
			return missing
		}
		machine.DeepCopyInto(o)
	case *v1alpha1.MachineRemediation:
		r, ok := v.state.records[key.Name]
		if !ok {
			return missing
		}
		r.DeepCopyInto(o)
	}
	return nil
}

func (v view) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var options client.ListOptions
	options.ApplyOptions(opts)
	switch l := list.(type) {
	case *clusterv1.MachineHealthCheckList:
		l.Items = []clusterv1.MachineHealthCheck{*v.mhc.DeepCopy()}
	case *clusterv1.MachineList:
		for _, name := range slices.Sorted(maps.Keys(v.state.machines)) {
			l.Items = append(l.Items, *v.state.machines[name].DeepCopy())
		}
	case *v1alpha1.MachineRemediationList:
		for _, name := range slices.Sorted(maps.Keys(v.state.records)) {
			r := v.state.records[name]
			if options.LabelSelector == nil || options.LabelSelector.Matches(labelsOf(r)) {
				l.Items = append(l.Items, *r.DeepCopy())
			}
		}
	}
	return nil
}

func (v view) Create(_ context.Context, obj client.Object, _ ...client.CreateOption) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := obj.(*v1alpha1.MachineRemediation)
	return v.write(r.Spec.MachineRef.Name, func() error {
		if _, ok := v.live.records[r.Name]; ok {
			return apierrors.NewAlreadyExists(schema.GroupResource{}, r.Name)
		}
		r.ResourceVersion = v.nextVersion()
		r.UID = types.UID("record-" + r.ResourceVersion)
		v.live.records[r.Name] = r.DeepCopy()
		return nil
	})
}

// Patch raises a grant.
func (v view) Patch(_ context.Context, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	data, err := patch.Data(obj)
	if err != nil {
		return err
	}
	var ops []struct{ Value any }
	if err := json.Unmarshal(data, &ops); err != nil {
		return err
	}
	return v.write(obj.(*v1alpha1.MachineRemediation).Spec.MachineRef.Name, func() error {
		r, ok := v.live.records[obj.GetName()]
		if !ok {
			return apierrors.NewNotFound(schema.GroupResource{}, obj.GetName())
		}
		if fmt.Sprint(ops[0].Value) != string(r.UID) || ops[1].Value != float64(r.Spec.Grant) {
			return apierrors.NewInvalid(schema.GroupKind{}, r.Name, nil)
		}
		r.Spec.Grant = int32(ops[2].Value.(float64))
		r.ResourceVersion = v.nextVersion()
		r.DeepCopyInto(obj.(*v1alpha1.MachineRemediation))
		return nil
	})
}

// GroupVersionKindFor is asked about what is applied, which is the status of the MachineHealthCheck.
func (view) GroupVersionKindFor(runtime.Object) (schema.GroupVersionKind, error) {
	return clusterv1.GroupVersion.WithKind("MachineHealthCheck"), nil
}

func (view) Status() client.SubResourceWriter { return nowhere{} }

// nowhere takes every status and keeps none.
type nowhere struct{ client.SubResourceWriter }

func (nowhere) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return nil
}

type labelSet map[string]string

func labelsOf(r *v1alpha1.MachineRemediation) labelSet { return r.Labels }

func (l labelSet) Has(key string) bool   { _, ok := l[key]; return ok }
func (l labelSet) Get(key string) string { return l[key] }
func (l labelSet) Lookup(key string) (string, bool) {
	value, ok := l[key]
	return value, ok
}
