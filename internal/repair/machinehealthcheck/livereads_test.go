package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/cached"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// liveReads are those past the caches.
type liveReads struct {
	*fakenodes.Nodes

	mu  sync.Mutex
	all []string
}

func (l *liveReads) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, what)
}

// GetLive implements workload.Nodes.
func (l *liveReads) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	l.note("get Node")
	return l.Nodes.GetLive(ctx, cluster, name)
}

func (l *liveReads) notes() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			l.note(fmt.Sprintf("get %T", obj))
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			l.note(fmt.Sprintf("list %T", list))
			return c.List(ctx, list, opts...)
		},
	}
}

// TestLiveReadsOfOneRemedy: before one of 1,000 Machines is repaired, the others are counted, and none of them is read past the caches.
func TestLiveReadsOfOneRemedy(t *testing.T) {
	confirmed := []string{"get *v1beta2.MachineHealthCheck", "list *v1alpha1.MachineRemediationList"}
	for name, tt := range map[string]struct {
		// cached reports whether the cache has the Nodes of the others.
		cached bool
		want   []string
	}{
		"the others are well":               {true, confirmed},
		"the cache has the Nodes of no one": {false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, reads := fleetOf(t, 1000, tt.cached)
			key := client.ObjectKey{Namespace: "ns", Name: "mhc"}
			if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(reads.all)
			if diff := cmp.Diff(tt.want, reads.all); diff != "" {
				t.Errorf("live reads for the admission (-want +got):\n%s", diff)
			}
			reads.all = nil
			gate := &slots.Gatekeeper{Reader: r.Reader.Reader}
			var mhc clusterv1.MachineHealthCheck
			if err := r.Client.Get(t.Context(), key, &mhc); err != nil {
				t.Fatal(err)
			}
			why, err := gate.GateClosed(t.Context(), &mhc, build.Cluster("ns", build.ClusterName), true)
			if err != nil || (why == "") != tt.cached {
				t.Errorf("the gate says %q: %v", why, err)
			}
			if _, err := overBudget(t, gate, &mhc, build.Cluster("ns", build.ClusterName)); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(confirmed[1:], reads.all); diff != "" {
				t.Errorf("live reads before the act (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLiveReadsOfABatch: machines that are sick again share the read of their last records, and those that never were need none.
func TestLiveReadsOfABatch(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	again := []*clusterv1.Machine{w.sick(t, "a"), w.sick(t, "b"), w.sick(t, "c")}
	mhc := w.check(t)
	w.reconcile(t, mhc)
	for _, machine := range again {
		w.end(t, machine)
	}
	w.sick(t, "d")
	reads := &liveReads{}
	w.Live = w.env.Intercept(t, reads.notes())
	w.reconcile(t, mhc)
	if got := w.admitted(t); len(got) != 4 {
		t.Fatalf("admitted %v, want four", got)
	}
	slices.Sort(reads.all)
	if diff := cmp.Diff([]string{"get *v1beta2.MachineHealthCheck", "list *v1alpha1.MachineRemediationList"}, reads.all); diff != "" {
		t.Errorf("live reads (-want +got):\n%s", diff)
	}
}

// TestLiveReadsOfUnseenRecords: records that the cache does not show after a while share a read, and are created again if they are gone.
func TestLiveReadsOfUnseenRecords(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	machines := []*clusterv1.Machine{w.sick(t, "a"), w.sick(t, "b")}
	mhc := w.check(t)
	w.freeze(t, mhc, mhc)
	w.reconcile(t, mhc)
	for _, machine := range machines {
		gone := w.recordOf(t, machine)
		change(t, w, gone, func(r *v1alpha1.MachineRemediation) { r.Finalizers = nil })
		remove(t, w, gone)
	}
	w.pass(unseenFor)
	reads := &liveReads{}
	w.Live = w.env.Intercept(t, reads.notes())
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace", "b: replace")
	slices.Sort(reads.all)
	if diff := cmp.Diff([]string{"get *v1beta2.MachineHealthCheck", "list *v1alpha1.MachineRemediationList"}, reads.all); diff != "" {
		t.Errorf("live reads (-want +got):\n%s", diff)
	}
}

// TestFailedReadOfABatch: if the read that machines share fails, each is tried by itself.
func TestFailedReadOfABatch(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	again := []*clusterv1.Machine{w.sick(t, "a"), w.sick(t, "b")}
	mhc := w.check(t)
	w.reconcile(t, mhc)
	for _, machine := range again {
		w.end(t, machine)
	}
	lists := 0
	w.Live = w.env.Intercept(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if lists++; lists == 1 {
			return errBroken
		}
		return c.List(ctx, list, opts...)
	}})
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace", "b: replace")
}

// fleetOf is a cluster of so many Machines, one of which is sick, under a gate and a budget.
func fleetOf(t *testing.T, n int, nodes bool) (*Reconciler, *liveReads) {
	t.Helper()
	cluster := build.Cluster("ns", build.ClusterName)
	mhc := build.MachineHealthCheck("ns", "mhc", build.TriggerIfAtMost(intstr.FromString("40%")), maxInFlight("10"))
	objects, reads := []client.Object{cluster, mhc}, &liveReads{Nodes: &fakenodes.Nodes{}}
	for i := range n {
		name, status := fmt.Sprint("m-", i), metav1.ConditionTrue
		if i == 0 {
			status = metav1.ConditionFalse
		} else if nodes {
			reads.Put(client.ObjectKeyFromObject(cluster), build.Node(name))
		}
		objects = append(objects, build.Machine("ns", name, build.NodeRef(name), build.Verdict(status, build.Epoch)))
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	stored := fake.NewClientBuilder().WithScheme(scheme).WithObjects(mhc.DeepCopy()).WithStatusSubresource(mhc).Build()
	index := func(ctx context.Context, indexer client.FieldIndexer) error {
		return mhcspec.AddTo(ctx, indexer, slices.Concat(mhcspec.Indexes(), recordstore.Indexes()))
	}
	cache := cached.New(t, stored, index, objects...)
	return &Reconciler{
		Client: cache,
		Reader: Reader{
			Reader: slots.Reader{
				Cache:     cache,
				Live:      interceptor.NewClient(stored, reads.notes()),
				Observer:  &machinehealth.Observer{Nodes: reads, GracePeriod: 5 * time.Minute},
				Selectors: &mhcspec.Selectors{},
				Clock:     testingclock.NewFakePassiveClock(build.Epoch.Add(time.Hour)),
			},
		},
		Recorder: events.NewFakeRecorder(100),
	}, reads
}
