package machinehealthcheck

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

func TestWhatTheRecordOfASickMachineSays(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	since := w.clock.Now().Add(-time.Hour)
	w.nodes.Put(client.ObjectKeyFromObject(w.cluster), build.Node("node", build.UID("node-uid")))
	a := w.machine(t, "a", build.NodeRef("node"),
		build.Condition(verdict.ConditionType, metav1.ConditionFalse, "DiskUnhealthy", since).WithMessage("The disk is full"))
	mhc := w.check(t)
	w.reconcile(t, mhc)
	got := w.recordOf(t, a)
	want := recordstore.New(w.cluster, 1, v1alpha1.MachineRemediationSpec{
		ClusterName:    w.cluster.Name,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "a", UID: a.UID},
		NodeRef:        &v1alpha1.RemediationReference{Name: "node", UID: "node-uid"},
		HealthCheckRef: v1alpha1.RemediationReference{Name: mhc.Name, UID: mhc.UID},
		Finding:        v1alpha1.RemediationFinding{Reason: "DiskUnhealthy", Message: "The disk is full", Since: metav1.NewTime(since)},
		Steps:          admission.BuiltInPlan(mhc, mhcspec.Config{}, v1alpha1.RebootSettings{}),
		Grant:          1,
	})
	want.Annotations["sickbay.dev/owner-uid"], want.Annotations["sickbay.dev/failure-domain"] = string(w.set.UID), ""
	want.Status.ObservedGeneration = -1
	ignored := cmpopts.IgnoreFields(metav1.ObjectMeta{}, "UID", "Generation", "ResourceVersion", "ManagedFields", "CreationTimestamp")
	if diff := cmp.Diff(want, got, ignored, cmpopts.IgnoreFields(v1alpha1.MachineRemediation{}, "TypeMeta")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect.NoCondition(t.Context(), t, w.env.Client, a, clusterv1.MachineOwnerRemediatedCondition)
}

// TestNextRecordWithLaggingCache: the cache does not show the first record, which has ended since. What that has tried counts, so
// the machine is not admitted before the cache shows it.
func TestNextRecordWithLaggingCache(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	w.plan(t)
	mhc := w.check(t, byPlan())
	w.reconcile(t, mhc)
	first := w.recordOf(t, a)
	change(t, w, first, func(r *v1alpha1.MachineRemediation) { r.Finalizers = nil })
	remove(t, w, first)
	w.restartWithCache()
	w.freeze(t, mhc, mhc)
	first.ObjectMeta = metav1.ObjectMeta{Namespace: first.Namespace, Name: first.Name, Labels: first.Labels, Annotations: first.Annotations}
	build.Create(t.Context(), t, w.env.Client, first)
	changeStatus(t, w, first, func(r *v1alpha1.MachineRemediation) {
		at := metav1.NewTime(w.clock.Now())
		r.Status.Attempts = []v1alpha1.RemediationAttempt{{
			Number: 1, Step: "reboot", OperationID: "u/1", StartTime: &at, BeganAt: &at, EndTime: &at, Result: v1alpha1.ResultFailed,
			ObjectRef: &v1alpha1.RemediationObjectReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediation", Name: "r"},
		}}
	})
	w.end(t, a)
	for i := range 2 {
		if after, want := w.reconcile(t, mhc), controllerstate.Retry<<i; after != want {
			t.Errorf("looks again after %s, want %s", after, want)
		}
	}
	if all := w.records(t); len(all) != 1 {
		t.Fatalf("there are %d records, want the first alone", len(all))
	}
	w.cache.Thaw()
	w.reconcile(t, mhc)
	second := w.recordOf(t, a)
	if start := second.Spec.StartAt; recordstore.Ordinal(second) != 2 || start == nil || start.Step != "replace" {
		t.Errorf("ordinal is %d, and it starts at %+v", recordstore.Ordinal(second), start)
	}
}

// TestNextRecordAfterADeletion: somebody has deleted the record that the cache shows, so the names have begun anew, and another
// leader has made one under the name that the cache has for that.
func TestNextRecordAfterADeletion(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	w.end(t, a)
	first := w.recordOf(t, a)
	w.restartWithCache()
	w.freeze(t, mhc, mhc, first)
	if err := w.env.Client.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	w.admitByHand(t, mhc, a)
	w.reconcile(t, mhc)
	if all := w.records(t); len(all) != 1 || all[0].UID == first.UID {
		t.Errorf("there are %d records, want the one of the other leader", len(all))
	}
}

// TestGoneBeforeItIsSeen: a record that goes before the cache has shown it holds up nobody for long, nor does a clock that is set back meanwhile.
func TestGoneBeforeItIsSeen(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]time.Duration{"time passes": unseenFor, "the clock is set back": -time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goneBeforeItIsSeen(t, passes)
		})
	}
}

func goneBeforeItIsSeen(t *testing.T, passes time.Duration) {
	t.Helper()
	w := newHarness(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	gone := w.recordOf(t, a)
	change(t, w, gone, func(r *v1alpha1.MachineRemediation) { r.Finalizers = nil })
	remove(t, w, gone)
	if after := w.reconcile(t, mhc); after == 0 || after > unseenFor {
		t.Errorf("looks again after %s, want within %s", after, unseenFor)
	}
	if all := w.records(t); len(all) > 0 {
		t.Fatalf("it was created again, though it may be on its way into the cache: %+v", all)
	}
	w.pass(passes)
	w.reconcile(t, mhc)
	if next := w.recordOf(t, a); next.UID == gone.UID {
		t.Error("there is no new record")
	}
}

// TestKindsNotInstalled: machines are counted, nobody is admitted, and the status says what to do.
func TestKindsNotInstalled(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.healthy(t, "b")
	mhc := w.check(t)
	installed := false
	w.RecordsInstalled = func() bool { return installed }
	w.cache.Freeze(&clusterv1.MachineHealthCheck{}, &clusterv1.Cluster{}, &clusterv1.MachineList{}, &clusterv1.MachineHealthCheckList{})
	w.Client, w.Cache = noRecords{w.cache, t}, noRecords{w.cache, t}
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	message := "Nothing is repaired: the kind MachineRemediation of sickbay.dev is not installed; sickbay crds | kubectl apply -f - installs it; 1 waits: a"
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionRemediationAllowed, Status: metav1.ConditionFalse, Reason: admission.ReasonKindsNotInstalled, ObservedGeneration: 1, Message: message,
	})
	w.wantEvents(t, "Warning KindsNotInstalled "+message)
	if latest, _ := stored(t, w, mhc); *latest.Status.ExpectedMachines != 2 || *latest.Status.CurrentHealthy != 1 {
		t.Errorf("status is %+v", latest.Status)
	}
	installed = true
	w.restart(w.env.Client)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
}

// noRecords fails the test if a record is read.
type noRecords struct {
	client.Client
	t *testing.T
}

func (n noRecords) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*v1alpha1.MachineRemediationList); ok {
		n.t.Error("records are listed, though their kind is not installed")
	}
	return n.Client.List(ctx, list, opts...)
}

// TestMovedMachine: the record of a machine that moves to another MachineHealthCheck counts there.
func TestMovedMachine(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	named := func(name string) build.MachineHealthCheckFunc {
		return func(mhc *clusterv1.MachineHealthCheck) { mhc.Name = name }
	}
	pool := func(name string) build.MachineHealthCheckFunc { return build.Selector(map[string]string{"pool": name}) }
	a := w.sick(t, "a", build.Label("pool", "one"))
	one, two := w.check(t, named("one"), pool("one"), maxInFlight("1")), w.check(t, named("two"), pool("two"), maxInFlight("1"))
	w.reconcile(t, one)
	w.wantAdmitted(t, "a: replace")
	change(t, w, a, func(m *clusterv1.Machine) { m.Labels["pool"] = "two" })
	w.sick(t, "b", build.Label("pool", "one"))
	w.sick(t, "c", build.Label("pool", "two"))
	w.reconcile(t, one)
	w.reconcile(t, two)
	w.wantAdmitted(t, "a: replace", "b: replace")
	w.remove(t, a)
	w.reconcile(t, two)
	w.wantAdmitted(t, "a: replace", "b: replace", "c: replace") // once it is gone it counts for one, which has admitted it
	w.sick(t, "d", build.Label("pool", "one"))
	w.reconcile(t, one)
	if c := expect.Condition(t.Context(), t, w.env.Client, one, admission.ConditionRemediationAllowed); c.Message != "2 of 2 machines not healthy (2 sick), no limit set; 2 of at most 1 repairs in flight: a, b; 1 waits for a slot: d" {
		t.Errorf("message is %q", c.Message)
	}
}
