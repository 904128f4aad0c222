package machinehealth

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/cached"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// poolLabel is the label that the MachineHealthChecks of one cluster select by.
const poolLabel = "pool"

// lookAt returns a function that judges a healthy Machine without a write. Its namespace has the given number of MachineHealthChecks, either all of
// the Machine's cluster or each of another.
func lookAt(tb testing.TB, checks int, oneCluster bool, opts ...build.ClusterOption) func() {
	tb.Helper()
	machine := build.Machine("ns", "m", build.NodeRef("node"), build.Label(poolLabel, "0"),
		build.Condition(verdict.ConditionType, metav1.ConditionTrue, verdict.ReasonSucceeded, build.Epoch))
	for i := range 8 {
		build.Label(fmt.Sprint("label-", i), "value")(machine)
	}
	for i := range machine.Status.Conditions {
		machine.Status.Conditions[i].ObservedGeneration = machine.Generation
	}
	objects := []client.Object{machine, build.Cluster("ns", build.ClusterName, opts...)}
	for i := range checks {
		pool := build.Selector(map[string]string{poolLabel: fmt.Sprint(i)})
		mhc := build.MachineHealthCheck("ns", fmt.Sprint("mhc-", i), pool)
		if i > 0 && !oneCluster {
			mhc = build.MachineHealthCheck("ns", fmt.Sprint("mhc-", i), pool, build.InCluster(fmt.Sprint("cluster-", i)))
		}
		objects = append(objects, mhc)
	}
	nodes := &fakenodes.Nodes{}
	nodes.Put(mhcspec.ClusterOf(machine), build.Node("node"))
	r := &Reconciler{
		Client:    cached.New(tb, nil, mhcspec.AddIndexes, objects...),
		Observer:  &Observer{Nodes: nodes, GracePeriod: 5 * time.Minute},
		Selectors: &mhcspec.Selectors{},
		Recorder:  events.NewFakeRecorder(1),
		Clock:     testingclock.NewFakePassiveClock(build.Epoch.Add(time.Hour)),
	}
	req := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(machine)}
	look := func() {
		if _, err := r.Reconcile(tb.Context(), req); err != nil {
			tb.Fatal(err)
		}
	}
	look()
	return look
}

func BenchmarkLook(b *testing.B) {
	for _, oneCluster := range []bool{false, true} {
		for _, checks := range []int{1, 100, 10_000} {
			b.Run(fmt.Sprintf("%d checks, one cluster %t", checks, oneCluster), func(b *testing.B) {
				look := lookAt(b, checks, oneCluster)
				b.ReportAllocs()
				for b.Loop() {
					look()
				}
			})
		}
	}
}
