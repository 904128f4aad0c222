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
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/cached"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// poolLabel is what the MachineHealthChecks of one cluster go by.
const poolLabel = "pool"

// pools is a cluster of 10,000 healthy Machines in so many pools, each with a MachineHealthCheck. The first of several pools has ten Machines.
func pools(tb testing.TB, n int) *Reconciler {
	tb.Helper()
	objects := []client.Object{build.Cluster("ns", build.ClusterName)}
	for i := range n {
		pool := map[string]string{poolLabel: fmt.Sprint(i)}
		objects = append(objects, build.MachineHealthCheck("ns", fmt.Sprint("mhc-", i), build.Selector(pool)))
	}
	for i := range 10_000 {
		pool := 0
		if i >= 10 && n > 1 {
			pool = 1 + i%(n-1)
		}
		objects = append(objects, build.Machine("ns", fmt.Sprint("m-", i), build.NodeRef(fmt.Sprint("m-", i)), build.Label(poolLabel, fmt.Sprint(pool)), build.Verdict(metav1.ConditionTrue, build.Epoch)))
	}
	index := func(ctx context.Context, indexer client.FieldIndexer) error {
		return mhcspec.AddTo(ctx, indexer, slices.Concat(mhcspec.Indexes(), recordstore.Indexes()))
	}
	all := cached.New(tb, nil, index, objects...)
	return &Reconciler{
		Client: all,
		Reader: Reader{
			Reader: slots.Reader{
				Cache:     all,
				Observer:  &machinehealth.Observer{Nodes: &fakenodes.Nodes{}, GracePeriod: 5 * time.Minute},
				Selectors: &mhcspec.Selectors{},
				Clock:     testingclock.NewFakePassiveClock(build.Epoch.Add(time.Hour)),
			},
		},
		Recorder: events.NewFakeRecorder(1),
	}
}

// looks are what becomes of an event, and the look that follows.
func looks(tb testing.TB, r *Reconciler) map[string]func() {
	tb.Helper()
	mhc := build.MachineHealthCheck("ns", "mhc-0", build.Selector(map[string]string{poolLabel: "0"}))
	machine := build.Machine("ns", "m-0", build.Label(poolLabel, "0"))
	recorded := recordstore.New(build.Cluster("ns", build.ClusterName), 1, v1alpha1.MachineRemediationSpec{
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
			f, d, err := r.observeAndDecideByCache(tb.Context(), mhc)
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

// TestLookIsOfItsOwn: a look at a MachineHealthCheck, and what an event wakes up, allocates the same beside 20 others of its cluster and beside 2,000.
func TestLookIsOfItsOwn(t *testing.T) {
	few, many := looks(t, pools(t, 20)), looks(t, pools(t, 2_000))
	for name, look := range few {
		if before, after := expect.Allocated(look), expect.Allocated(many[name]); after > before+before/5 {
			t.Errorf("%s: %d bytes beside 20 others, and %d beside 2,000", name, before, after)
		}
	}
}

// BenchmarkLargeLook measures a look at a MachineHealthCheck with 10,000 Machines: what it reads, what it decides, and the count before an act.
func BenchmarkLargeLook(b *testing.B) {
	r, mhc, cluster := pools(b, 1), build.MachineHealthCheck("ns", "mhc-0", build.Selector(map[string]string{poolLabel: "0"})), build.Cluster("ns", build.ClusterName)
	nodes := &fakenodes.Nodes{}
	for i := range 10_000 {
		nodes.Put(client.ObjectKeyFromObject(cluster), build.Node(fmt.Sprint("m-", i)))
	}
	r.Observer.Nodes = nodes
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: cluster}
	if err := r.AddTargets(b.Context(), &f); err != nil || len(f.Targets) != 10_000 {
		b.Fatal(err, len(f.Targets))
	}
	for name, do := range map[string]func() error{
		"targets": func() error {
			return r.AddTargets(b.Context(), &admission.Facts{MachineHealthCheck: mhc, Cluster: cluster})
		},
		"judge":  func() error { return r.Judge(b.Context(), &f, 1) },
		"decide": func() error { admission.Decide(f, r.Clock.Now()); return nil },
		"whole":  func() error { _, _, err := r.observeAndDecideByCache(b.Context(), mhc); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
