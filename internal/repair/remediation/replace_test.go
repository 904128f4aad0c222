package remediation

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/successor"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// errCrash stands for the end of the process.
var errCrash = errors.New("the process has crashed")

const keep = "test.sickbay.dev/keep"

// goes lets a Machine go for good.
func (f *harness) goes(machine *clusterv1.Machine) {
	f.t.Helper()
	if got, ok := stored(f, machine); ok && got.DeletionTimestamp.IsZero() {
		remove(f, machine)
	}
	if _, ok := stored(f, machine); ok {
		change(f, machine, func(m *clusterv1.Machine) { m.Finalizers = nil })
	}
}

// mostRequests is what a plain replacement may cost, all controllers together: the verdict and the record are two of them.
const mostRequests = 12

// TestPlainReplacement costs four writes after the record's creation, and one event, whatever the owner says meanwhile.
func TestPlainReplacement(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.clock.SetTime(time.Now()) // as the API server's
	a := f.sick("a", build.Finalizer(keep))
	record := f.admit(a)
	reads := &counting{Reader: f.env.Client}
	f.Live = reads
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.wantRecord(record, "Acting Acting replace:-")
	f.answer(a, clusterv1.MachineSetMachineRemediationMachineDeletingReason, "Machine is deleting")
	f.reconcile(record)
	remove(f, a)
	f.reconcile(record)
	f.goes(a)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended Replaced replace:Succeeded")
	f.reconcile(record)

	want := []string{
		"patch status of Machine a", "update status of MachineRemediation " + record.Name,
		"update status of MachineRemediation " + record.Name, "patch MachineRemediation " + record.Name,
	}
	if diff := cmp.Diff(want, f.writes.since()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	// For the act all that it goes by, but for the Machine, whose version the mark tests; and that the Machine is gone.
	past := []string{"Cluster cluster", "Machine a", "MachineHealthCheck mhc", "MachineRemediation " + record.Name}
	if diff := cmp.Diff(past, reads.sorted()); diff != "" {
		t.Errorf("reads past the cache (-want +got):\n%s", diff)
	}
	if n := 2 + len(want) + len(past) + 1; n > mostRequests {
		t.Errorf("%d requests", n)
	}
	event := "Normal RemediationStarted Step replace: waits for MachineSet set to replace the machine; the machine stays marked until it does. MachineHealthCheck mhc: Node not found"
	if diff := cmp.Diff([]string{event}, f.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	got, _ := stored(f, record)
	if !closed(got) {
		t.Errorf("labels %v, finalizers %v: it still counts as open", got.Labels, got.Finalizers)
	}
}

// bounded limits the repairs, so that others wait for the slot of a record.
func bounded() build.Option { return build.Annotation(mhcspec.MaxInFlightAnnotation, "1") }

// TestOwnerAtWork: one that is busy with another machine has an hour.
func TestOwnerAtWork(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *harness){
		"it deletes one": func(f *harness) { f.sick("b", build.Deleting(f.clock.Now())) },
		"it has answered one": func(f *harness) {
			f.answer(f.sick("b"), clusterv1.MachineSetMachineRemediationDeferredReason, "one at a time")
		},
		"it refuses one": func(f *harness) { f.answer(f.sick("b"), clusterv1.MachineSetMachineCannotBeRemediatedReason, "no") },
	}, func(t *testing.T, other func(f *harness)) {
		t.Helper()
		f := newHarness(t, bounded())
		other(f)
		record := f.admit(f.sick("a"))
		f.reconcile(record)
		f.pass(time.Hour - time.Second)
		f.reconcile(record)
		f.wantRecord(record, acting)
		f.pass(time.Second)
		f.reconcile(record)
		f.wantRecord(record, "Pending Backoff replace:NotBegun")
	})
}

// controlPlaneKind is the kind of Cluster API's own control planes.
var controlPlaneKind = schema.GroupVersionKind{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "KubeadmControlPlane"}

// TestControlPlaneAtWork: it has deleted one machine and not made the next one yet, and answers no other mark meanwhile.
func TestControlPlaneAtWork(t *testing.T) {
	t.Parallel()
	for busy, want := range map[bool]string{true: acting, false: "Pending Backoff replace:NotBegun"} {
		f := newHarness(t, bounded())
		owner := &unstructured.Unstructured{}
		owner.SetGroupVersionKind(controlPlaneKind)
		owner.SetNamespace(f.ns)
		owner.SetName("kcp")
		if busy {
			owner.SetAnnotations(map[string]string{successor.InProgressAnnotation: "{}"})
		}
		build.Create(t.Context(), t, f.env.Client, owner)
		record := f.admit(f.sick("a", build.MachineFunc(func(m *clusterv1.Machine) {
			m.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, controlPlaneKind)}
		})))
		f.reconcile(record)
		f.pass(ladder.AnswerTime)
		f.reconcile(record)
		f.wantRecord(record, want)
	}
}

// TestDeletionThatHangs for an hour is announced once, in the condition and by an event.
func TestDeletionThatHangs(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a", build.Finalizer(keep))
	record := f.admit(a)
	f.reconcile(record)
	remove(f, a)
	f.says(a, clusterv1.MachineDeletingCondition, clusterv1.MachineDeletingDrainingNodeReason, "Drain not completed yet (started at x):\n* Pod db/db-1: waiting for completion")
	f.reconcile(record)
	f.events()
	for range 3 {
		f.pass(time.Hour)
		f.reconcile(record)
	}
	f.wantRecord(record, "Acting DeletionOverdue replace:-")
	got := f.events()
	if len(got) != 1 || !strings.HasPrefix(got[0], "Warning RemediationDeletionOverdue Waiting until MachineSet set has replaced the machine") ||
		!strings.HasSuffix(got[0], ". Cluster API drains its Node: Drain not completed yet (started at x): Pod db/db-1: waiting for completion") {
		t.Errorf("events %q", got)
	}
}

// TestRefusedMarkTakenOver: a mark that an owner brought back, and refused, before there was a record is the record's own as soon as it goes by
// it. It is withdrawn before the slot goes to somebody else.
func TestRefusedMarkTakenOver(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	changeStatus(f, a, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
			Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: clusterv1.MachineSetMachineCannotBeRemediatedReason, Message: "no",
		})
	})
	record := f.admit(a)
	f.reconcile(record)
	got, _ := stored(f, record)
	after, _ := stored(f, a)
	if mark := meta.FindStatusCondition(after.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition); mark != nil {
		t.Errorf("given back %d of %d, and there stands %+v", got.Status.ReleasedGrant, got.Spec.Grant, mark)
	}
}

// says has a Machine's own condition say something.
func (f *harness) says(machine *clusterv1.Machine, conditionType, reason, message string) {
	f.t.Helper()
	changeStatus(f, machine, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: message})
	})
}

// TestOwnerThatDoesNotAnswer: where others wait, it is given up after 10 minutes, or an hour if nobody knows whether it ever answers. Otherwise
// its mark stands, and that is said.
func TestOwnerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	pool := build.MachineFunc(func(m *clusterv1.Machine) {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "example.dev/v1", Kind: "Pool", Name: "pool", UID: "pool", Controller: new(true)}}
	})
	one := []build.MachineHealthCheckOption{bounded()}
	type row struct {
		check []build.MachineHealthCheckOption
		owner []build.MachineOption
		after time.Duration
		want  string
	}
	rows(t, map[string]row{
		"bounded":         {one, nil, 10 * time.Minute, "Pending Backoff replace:NotBegun"},
		"unbounded":       {nil, nil, 10 * time.Minute, "Acting Refused replace:-"},
		"an unknown kind": {one, []build.MachineOption{pool}, time.Hour, "Pending Backoff replace:NotBegun"},
	}, func(t *testing.T, tt row) {
		t.Helper()
		f := newHarness(t, tt.check...)
		record := f.admit(f.sick("a", tt.owner...))
		if after := f.reconcile(record); after != tt.after {
			t.Errorf("looks again after %s", after)
		}
		f.pass(tt.after - time.Second)
		f.reconcile(record)
		f.wantRecord(record, acting)
		f.wantStanding("a: mark")
		f.pass(time.Second)
		f.reconcile(record)
		f.wantRecord(record, tt.want)
		f.wantSlot(record, tt.check == nil)
		if tt.check != nil {
			f.wantStanding()
		}
	})
}

// TestReplacementOutlivesItsMachineHealthCheck: as long as the machine is there, its record goes on under the MachineHealthCheck that selects it
// now. It goes on when the machine is gone, too.
func TestReplacementOutlivesItsMachineHealthCheck(t *testing.T) {
	t.Parallel()
	anew := func(name string) func(f *harness) {
		return func(f *harness) {
			remove(f, f.mhc)
			build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, name))
		}
	}
	for name, happens := range map[string]func(f *harness){"deleted and made anew": anew("mhc"), "another one takes over": anew("other")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			a := f.sick("a")
			record := f.admit(a, by(step(v1alpha1.ActionReplace)))
			f.reconcile(record)
			happens(f)
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting replace:-") // it has outlived it so far
			b := f.comes("b")
			f.goes(a)
			f.reconcile(record)
			if got := f.summary(record); got != "Acting WaitingForReplacement replace:-" {
				t.Errorf("record is %q", got)
			}
			f.pass(time.Minute)
			f.judge(b, metav1.ConditionFalse)
			f.reconcile(record)
			// The attempt must count for the machine in its place, or a broken image is rolled out for ever.
			if got := f.summary(record); got != "Ended Ended ReplacementFailed replace:Failed" {
				t.Errorf("record is %q", got)
			}
		})
	}
}
