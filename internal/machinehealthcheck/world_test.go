package machinehealthcheck

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// world is an API server in memory with caches that lag behind it, for the state machine: it is fast
// enough to live through thousands of histories. It keeps just what a Reconciler reads.
type world struct {
	mu         sync.Mutex
	mhc        *clusterv1.MachineHealthCheck
	cluster    *clusterv1.Cluster
	live       contents
	cache      contents
	machinesAt time.Time // when the cache of Machines was up to date
	requestsAt time.Time // the same for that of requests
	clock      *testingclock.FakePassiveClock
	nodes      *fakenodes.Nodes
	// fail, if set, is what the next remedy for a Machine fails with; lost tells that it is carried out
	// nevertheless.
	fail    error
	failFor string
	lost    bool
}

type contents struct {
	machines map[string]*clusterv1.Machine
	requests map[string]*metav1.PartialObjectMetadata
}

func newWorld(mhc *clusterv1.MachineHealthCheck) *world {
	w := &world{mhc: mhc, cluster: build.Cluster(ns, build.ClusterName), clock: testingclock.NewFakePassiveClock(now), nodes: &fakenodes.Nodes{}}
	mhc.OwnerReferences = []metav1.OwnerReference{{UID: w.cluster.UID}}
	w.live = contents{map[string]*clusterv1.Machine{}, map[string]*metav1.PartialObjectMetadata{}}
	w.syncMachines()
	w.syncRequests()
	return w
}

// reconciler is one process: it remembers nothing of those before.
func (w *world) reconciler() *Reconciler {
	r := &Reconciler{
		Client: view{world: w, state: &w.cache}, Live: view{world: w, state: &w.live}, Clock: w.clock, Recorder: &events.FakeRecorder{},
		Observer: &machinehealth.Observer{Nodes: w.nodes}, Selectors: &targets.Selectors{}, Remedies: remedy.Cabinet{},
	}
	for _, kind := range []remedy.Kind{remedy.Owner, remedy.Delete, remedy.Request, remedy.Reboot} {
		r.Remedies[kind] = hand{w, kind}
	}
	return r
}

func (w *world) syncMachines() {
	w.cache.machines, w.machinesAt = map[string]*clusterv1.Machine{}, w.clock.Now()
	for name, machine := range w.live.machines {
		w.cache.machines[name] = machine.DeepCopy()
	}
}

func (w *world) syncRequests() {
	w.cache.requests, w.requestsAt = map[string]*metav1.PartialObjectMetadata{}, w.clock.Now()
	for name, request := range w.live.requests {
		w.cache.requests[name] = request.DeepCopy()
	}
}

// byHand annotates a Machine that was not deleted by Sickbay.
const byHand = "deleted-by-hand"

// inFlight returns how many Machines have a remedy of ours at work on them, whatever the caches say.
func (w *world) inFlight() int {
	n := 0
	for name, machine := range w.live.machines {
		if (Target{Machine: machine, Request: w.live.requests[name]}).inFlight() && !metav1.HasAnnotation(machine.ObjectMeta, byHand) {
			n++
		}
	}
	return n
}

// hand is a remedy that is carried out in the world.
type hand struct {
	*world
	kind remedy.Kind
}

func (h hand) Apply(_ context.Context, patient remedy.Patient) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	machine := h.live.machines[patient.Machine.Name]
	if h.fail == nil || h.failFor != machine.Name {
		h.carryOut(machine)
		return "done", nil
	}
	fail := h.fail
	h.fail = nil
	if h.lost {
		h.carryOut(machine)
	}
	return "", fail
}

func (h hand) carryOut(machine *clusterv1.Machine) {
	switch h.kind {
	case remedy.Owner:
		meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition(marked(metav1.ConditionFalse)))
	case remedy.Delete:
		build.Deleting(h.clock.Now())(machine)
	case remedy.Request:
		request := &metav1.PartialObjectMetadata{}
		request.Name, request.UID = machine.Name, "request-of-"+machine.UID
		request.OwnerReferences = []metav1.OwnerReference{{UID: machine.UID}}
		h.live.requests[machine.Name] = request
	case remedy.Reboot:
		build.Annotation(remedy.RebootAnnotation, "")(machine)
		build.Annotation(remedy.RebootRequestedAtAnnotation, h.clock.Now().Format(time.RFC3339))(machine)
	}
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
	switch o := obj.(type) {
	case *clusterv1.MachineHealthCheck:
		v.mhc.DeepCopyInto(o)
	case *clusterv1.Cluster:
		v.cluster.DeepCopyInto(o)
	case *clusterv1.Machine:
		machine, ok := v.state.machines[key.Name]
		if !ok {
			return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
		}
		machine.DeepCopyInto(o)
	}
	return nil
}

func (v view) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch l := list.(type) {
	case *clusterv1.MachineHealthCheckList:
		l.Items = []clusterv1.MachineHealthCheck{*v.mhc.DeepCopy()}
	case *clusterv1.MachineList:
		for _, machine := range v.state.machines {
			l.Items = append(l.Items, *machine.DeepCopy())
		}
	case *metav1.PartialObjectMetadataList:
		for _, request := range v.state.requests {
			l.Items = append(l.Items, *request.DeepCopy())
		}
	}
	return nil
}

// Delete deletes a request.
func (v view) Delete(_ context.Context, obj client.Object, _ ...client.DeleteOption) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.live.requests, obj.GetName())
	return nil
}

func (view) Status() client.SubResourceWriter { return nowhere{} }

// nowhere takes every status and keeps none.
type nowhere struct{ client.SubResourceWriter }

func (nowhere) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return nil
}
