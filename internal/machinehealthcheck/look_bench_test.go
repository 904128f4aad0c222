package machinehealthcheck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/cached"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// poolLabel is what the MachineHealthChecks of one cluster go by.
const poolLabel = "pool"

// pools is a cluster of 10,000 healthy Machines in so many pools, each with a MachineHealthCheck. The first pool has ten Machines.
func pools(tb testing.TB, n int) *Reconciler {
	tb.Helper()
	objects := []client.Object{build.Cluster("ns", build.ClusterName)}
	for i := range n {
		pool := map[string]string{poolLabel: fmt.Sprint(i)}
		objects = append(objects, build.MachineHealthCheck("ns", fmt.Sprint("mhc-", i), build.Selector(pool)))
	}
	for i := range 10_000 {
		pool := 0
		if i >= 10 {
			pool = 1 + i%(n-1)
		}
		objects = append(objects, build.Machine("ns", fmt.Sprint("m-", i), build.Label(poolLabel, fmt.Sprint(pool)), build.Verdict(metav1.ConditionTrue, build.Epoch)))
	}
	index := func(ctx context.Context, indexer client.FieldIndexer) error {
		return mhcspec.AddTo(ctx, indexer, slices.Concat(mhcspec.Indexes(), record.Indexes()))
	}
	all := cached.New(tb, index, objects...)
	return &Reconciler{
		Client:    onlyReads{reader: all},
		Observer:  &machinehealth.Observer{Nodes: &fakenodes.Nodes{}, GracePeriod: 5 * time.Minute},
		Selectors: &mhcspec.Selectors{},
		Recorder:  events.NewFakeRecorder(1),
		Clock:     testingclock.NewFakePassiveClock(build.Epoch.Add(time.Hour)),
	}
}

// onlyReads is a client that reads from a cache, and writes nowhere.
type onlyReads struct {
	client.Client

	reader client.Reader
}

// Get implements client.Reader.
func (c onlyReads) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return c.reader.Get(ctx, key, obj, opts...)
}

// List implements client.Reader.
func (c onlyReads) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return c.reader.List(ctx, list, opts...)
}

// looks are what becomes of an event, and the look that follows.
func looks(tb testing.TB, r *Reconciler) map[string]func() {
	tb.Helper()
	mhc := build.MachineHealthCheck("ns", "mhc-0", build.Selector(map[string]string{poolLabel: "0"}))
	machine := build.Machine("ns", "m-0", build.Label(poolLabel, "0"))
	recorded := record.New(build.Cluster("ns", build.ClusterName), 1, v1alpha1.MachineRemediationSpec{
		ClusterName: build.ClusterName, MachineRef: v1alpha1.RemediatedMachineReference{Name: machine.Name, UID: machine.UID},
		HealthCheckRef: v1alpha1.RemediationReference{Name: mhc.Name, UID: mhc.UID},
	})
	one := func(requests []ctrl.Request) {
		if len(requests) != 1 {
			tb.Errorf("%d MachineHealthChecks are woken up", len(requests))
		}
	}
	return map[string]func(){
		"look": func() {
			f, d, err := r.decideByCache(tb.Context(), mhc)
			if err != nil || len(f.Targets) != 10 || d.Counts.Sick > 0 {
				tb.Fatal(err, len(f.Targets), d.Counts)
			}
		},
		"record event":             func() { one(slices.Collect(maps.Keys(r.ofRecord(tb.Context(), recorded)))) },
		"machine event":            func() { one(r.selecting(tb.Context(), machine)) },
		"MachineHealthCheck event": func() { one(r.rivals(tb.Context(), mhc)) },
	}
}

func BenchmarkLook(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		for name, look := range looks(b, pools(b, n)) {
			b.Run(fmt.Sprintf("%s, %d checks", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					look()
				}
			})
		}
	}
}

// TestLookIsOfItsOwn: a look at a MachineHealthCheck, and what an event wakes up, allocates the same beside 100 others of its cluster and beside 10,000.
func TestLookIsOfItsOwn(t *testing.T) {
	few, many := looks(t, pools(t, 100)), looks(t, pools(t, 10_000))
	for name, look := range few {
		if before, after := expect.Allocated(look), expect.Allocated(many[name]); after > before+before/5 {
			t.Errorf("%s: %d bytes beside 100 others, and %d beside 10,000", name, before, after)
		}
	}
}
