package machinehealthcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// world is an API server in memory with caches that lag behind it, for the state machine: it is fast
// enough to live through thousands of histories. It keeps just what a Reconciler reads and writes.
type world struct {
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

func newWorld(mhc *clusterv1.MachineHealthCheck) *world {
	w := &world{
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
func (w *world) reconciler() *Reconciler {
	return &Reconciler{
		Client: view{world: w, state: &w.cache}, Live: view{world: w, state: &w.live}, Clock: w.clock, Recorder: &events.FakeRecorder{},
		Observer: &machinehealth.Observer{Nodes: w.nodes}, Selectors: &mhcspec.Selectors{}, Parallel: 1,
	}
}

func (w *world) syncMachines() {
	w.cache.machines = map[string]*clusterv1.Machine{}
	for name, machine := range w.live.machines {
		w.cache.machines[name] = machine.DeepCopy()
	}
}

func (w *world) syncRecords() {
	w.cache.records = map[string]*v1alpha1.MachineRemediation{}
	for name, r := range w.live.records {
		w.cache.records[name] = r.DeepCopy()
	}
}

func (w *world) nextVersion() string {
	w.version++
	return strconv.Itoa(w.version)
}

// openOf returns the open records of a machine.
func (w *world) openOf(machine types.UID) []*v1alpha1.MachineRemediation {
	var open []*v1alpha1.MachineRemediation
	for _, name := range slices.Sorted(maps.Keys(w.live.records)) {
		if r := w.live.records[name]; r.Spec.MachineRef.UID == machine && !ladder.Ended(r) {
			open = append(open, r)
		}
	}
	return open
}

// inFlight returns how many records have a slot, whatever the caches say.
func (w *world) inFlight() int {
	n := 0
	for _, r := range w.live.records {
		if ladder.HasSlot(r) {
			n++
		}
	}
	return n
}

// write carries a write of a record out, or has it fail.
func (w *world) write(machine string, carryOut func() error) error {
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

// view is what a client sees of the world: the cache, or what is there.
type view struct {
	client.Client
	*world
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
