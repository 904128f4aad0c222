package machinehealthcheck

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestUpstreamDefect_TargetsOver10000: more than the CRD's limit made the whole status invalid.
// The API server itself says that 10000 names are good, and that one more is not.
func TestUpstreamDefect_TargetsOver10000(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t)
	const most = 10_000
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: w.cluster}
	for i := range most + 1 {
		f.Targets = append(f.Targets, admission.Target{Machine: build.Machine(w.ns, fmt.Sprintf("m%05d", i), w.verdict(metav1.ConditionTrue))})
	}
	if _, err := w.storeStatus(t.Context(), f, admission.Decide(f, w.clock.Now())); err != nil {
		t.Fatal(err)
	}
	if latest, _ := stored(t, w, mhc); len(latest.Status.Targets) != most || *latest.Status.ExpectedMachines != most+1 {
		t.Errorf("%d targets stored of %d", len(latest.Status.Targets), *latest.Status.ExpectedMachines)
	}
}

// TestUpstreamDefect_DuplicateNodeNames: events of a Node whose name exists in two clusters were
// dropped for both.
func TestUpstreamDefect_DuplicateNodeNames(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	build.Create(t.Context(), t, w.env.Client, build.Cluster(w.ns, "other"))
	w.sick(t, "a", build.NodeRef("node"))
	b := w.machine(t, "b", build.NodeRef("node"), build.InCluster("other"), w.verdict(metav1.ConditionTrue))
	w.nodes.Put(mhcspec.ClusterOf(b), build.Node("node"))
	for _, cluster := range []string{"cluster", "other"} {
		found, err := mhcspec.MachinesOfNode(t.Context(), w.Client, client.ObjectKey{Namespace: w.ns, Name: cluster}, "node")
		if err != nil || len(found) != 1 {
			t.Errorf("in %s: %d machines have that Node, error %v; want the one of that cluster", cluster, len(found), err)
		}
	}
	w.reconcile(t, w.check(t))
	w.wantAdmitted(t, "a: replace")
}

// TestUpstreamDefect_OverlappingFight: issue 3057: Two that select one Machine overwrote
// each other's verdict.
func TestUpstreamDefect_OverlappingFight(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.machine(t, "a", build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch))
	lenient := w.check(t, build.MachineHealthCheckFunc(func(m *clusterv1.MachineHealthCheck) { m.Name = "a-lenient" }), build.NodeStartupTimeout(0))
	strict := w.check(t, build.MachineHealthCheckFunc(func(m *clusterv1.MachineHealthCheck) { m.Name = "b-strict" }),
		build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, time.Minute))
	d := w.judges()
	d.judge(t, a)
	before, _ := stored(t, w, a)
	for _, mhc := range []*clusterv1.MachineHealthCheck{strict, lenient, strict} {
		w.reconcile(t, mhc)
		d.judge(t, a)
	}
	if after, _ := stored(t, w, a); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("it is written again and again: %+v", after.Status.Conditions)
	}
	w.wantAdmitted(t, "a: replace")
	if by := w.records(t)[0].Spec.HealthCheckRef.Name; by != strict.Name {
		t.Errorf("it is repaired for %s, which finds nothing", by)
	}
}

// TestUpstreamDefect_UnreachableClusterStopsEverything: without the workload cluster nothing was
// judged, not even what does not need it, and nothing said why.
func TestUpstreamDefect_UnreachableClusterStopsEverything(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.nodes.CutOff(client.ObjectKeyFromObject(w.cluster), w.clock.Now())
	asked := w.machine(t, "a", build.NodeRef("a"), build.Annotation(clusterv1.RemediateMachineAnnotation, ""))
	broken := w.machine(t, "b", build.NodeRef("b"), build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch))
	unread := w.machine(t, "c", build.NodeRef("c"))
	late := w.machine(t, "d")
	mhc := w.check(t, build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, time.Minute))
	w.judges().judge(t, asked, broken, unread, late)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace", "b: replace", "d: replace")
	got := expect.Condition(t.Context(), t, w.env.Client, unread, verdict.ConditionType)
	if want := "Node cannot be read: connection to the workload cluster is down"; got.Message != want {
		t.Errorf("message is %q, want %q", got.Message, want)
	}
}
