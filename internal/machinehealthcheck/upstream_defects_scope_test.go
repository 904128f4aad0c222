package machinehealthcheck

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestUpstreamDefect_TargetsOver10000: 1.1. More than the CRD's limit made the whole status invalid.
// The API server itself says that 10000 names are good, and that one more is not.
func TestUpstreamDefect_TargetsOver10000(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	mhc := w.check(t)
	var all []Target
	for i := range maxTargets + 1 {
		all = append(all, healthy(fmt.Sprintf("m%05d", i)))
	}
	f := facts(mhc, all...)
	f.Cluster = w.cluster
	if _, err := w.tell(t.Context(), f, Decide(f, now)); err != nil {
		t.Fatal(err)
	}
	if stored, _ := fetch(t, w, mhc); len(stored.Status.Targets) != maxTargets || *stored.Status.ExpectedMachines != maxTargets+1 {
		t.Errorf("%d targets stored of %d", len(stored.Status.Targets), *stored.Status.ExpectedMachines)
	}
}

// TestUpstreamDefect_ForeignWatchFilterIsReconciled: 2.9. Events of Machines and Nodes led to
// MachineHealthChecks with the label of another controller, which were then reconciled.
func TestUpstreamDefect_ForeignWatchFilterIsReconciled(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.Policy = targets.Policy{WatchFilter: "us"}
	a := w.sick(t, "a", build.Label(clusterv1.WatchLabel, "us"))
	mhc := w.check(t, build.Label(clusterv1.WatchLabel, "them"))
	w.doctor().judge(t, a)
	w.reconcile(t, mhc)
	w.wantTreated(t)
	if stored, _ := fetch(t, w, mhc); stored.ResourceVersion != mhc.ResourceVersion {
		t.Error("it was written to")
	}
}

// TestUpstreamDefect_DuplicateNodeNames: 2.1. Events of a Node whose name exists in two clusters were
// dropped for both.
func TestUpstreamDefect_DuplicateNodeNames(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	build.Create(t.Context(), t, w.env.Client, build.Cluster(w.ns, "other"))
	w.sick(t, "a", build.NodeRef("node"))
	b := w.machine(t, "b", build.NodeRef("node"), build.InCluster("other"), w.verdict(metav1.ConditionTrue))
	w.nodes.Put(targets.ClusterOf(b), build.Node("node"))
	for _, cluster := range []string{"cluster", "other"} {
		found, err := targets.MachinesOfNode(t.Context(), w.Client, client.ObjectKey{Namespace: w.ns, Name: cluster}, "node")
		if err != nil || len(found) != 1 {
			t.Errorf("in %s: %d machines have that Node, error %v; want the one of that cluster", cluster, len(found), err)
		}
	}
	w.reconcile(t, w.check(t))
	w.wantTreated(t, "a: owner")
}

// TestUpstreamDefect_OverlappingFight: 9.9, and issue 3057. Two that select one Machine overwrote
// each other's verdict.
func TestUpstreamDefect_OverlappingFight(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.machine(t, "a", build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch))
	lenient := w.check(t, build.MachineHealthCheckFunc(func(m *clusterv1.MachineHealthCheck) { m.Name = "a-lenient" }), build.NodeStartupTimeout(0))
	strict := w.check(t, build.MachineHealthCheckFunc(func(m *clusterv1.MachineHealthCheck) { m.Name = "b-strict" }),
		build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, time.Minute))
	d := w.doctor()
	d.judge(t, a)
	before, _ := fetch(t, w, a)
	for _, mhc := range []*clusterv1.MachineHealthCheck{strict, lenient, strict} {
		w.reconcile(t, mhc)
		d.judge(t, a)
	}
	if after, _ := fetch(t, w, a); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("it is written again and again: %+v", after.Status.Conditions)
	}
	w.wantTreated(t)
	expect.Condition(t.Context(), t, w.env.Client, strict, ConditionOverlapping)
}

// TestUpstreamDefect_ConditionsLeftBehind: 2.1. With the MachineHealthCheck gone, verdicts and marks
// stayed, and owners act on them.
func TestUpstreamDefect_ConditionsLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.machine(t, "a", build.NodeRef("a"))
	mhc := w.check(t)
	d := w.doctor()
	d.judge(t, a)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner")
	remove(t, w, mhc)
	d.judge(t, a)
	expect.NoCondition(t.Context(), t, w.env.Client, a, machinehealth.ConditionType)
	expect.NoCondition(t.Context(), t, w.env.Client, a, clusterv1.MachineOwnerRemediatedCondition)
}

// TestUpstreamDefect_NotFoundIsAnError: 2.6, and issue 9398. To mark a Machine that was just deleted
// was an error.
func TestUpstreamDefect_NotFoundIsAnError(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.freeze(t, mhc)
	remove(t, w, a)
	w.reconcile(t, mhc)
	w.doctor().judge(t, a)
	w.wantTold(t)
}

// TestUpstreamDefect_UnreachableClusterStopsEverything: 2.11. Without the workload cluster nothing was
// judged, not even what does not need it, and nothing said why.
func TestUpstreamDefect_UnreachableClusterStopsEverything(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.nodes.CutOff(client.ObjectKeyFromObject(w.cluster), w.clock.Now())
	asked := w.machine(t, "a", build.NodeRef("a"), build.Annotation(clusterv1.RemediateMachineAnnotation, ""))
	broken := w.machine(t, "b", build.NodeRef("b"), build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch))
	unread := w.machine(t, "c", build.NodeRef("c"))
	late := w.machine(t, "d")
	mhc := w.check(t, build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, time.Minute))
	w.doctor().judge(t, asked, broken, unread, late)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner", "b: owner", "d: owner")
	got := expect.Condition(t.Context(), t, w.env.Client, unread, machinehealth.ConditionType)
	if want := "Node cannot be read: connection to the workload cluster is down"; got.Message != want {
		t.Errorf("message is %q, want %q", got.Message, want)
	}
}
