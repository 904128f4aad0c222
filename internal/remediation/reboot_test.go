package remediation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// asks is which operation is asked for on a Machine, and which was last.
func (f *harness) asks(machine string) (now, last string) {
	f.t.Helper()
	got := &clusterv1.Machine{}
	if err := f.env.Client.Get(f.t.Context(), client.ObjectKey{Namespace: f.ns, Name: machine}, got); err != nil {
		f.t.Fatal(err)
	}
	return got.Annotations[rebootannotation.Request], got.Annotations[rebootannotation.Operation]
}

// TestReboot by the built-in plan: asked for once in each of two attempts, and never replaced.
func TestReboot(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byReboot())
	a := f.sick("a")
	record := f.admit(a)
	if after := f.reconcile(record); after != time.Hour {
		t.Errorf("looks again after %s", after)
	}
	f.wantStanding("a: reboot")
	if now, last := f.asks("a"); now != string(record.UID)+"/1" || last != now {
		t.Errorf("asks for %q, and last for %q", now, last)
	}
	f.reconcile(record)

	// The reboot controller takes the annotation away when it is done.
	unannotate(f, a, rebootannotation.Request)
	f.reconcile(record)
	f.restart()
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Acting Acting reboot:-")

	f.pass(time.Hour)
	f.reconcile(record)
	f.wantStanding("a: reboot")
	if now, _ := f.asks("a"); now != string(record.UID)+"/2" {
		t.Errorf("asks for %q", now)
	}
	f.wantRecord(record, "Acting Acting reboot:TimedOut reboot:-")
	f.pass(time.Hour)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Held NoStepLeft reboot:TimedOut reboot:TimedOut")
	if n := count(f.writes.since(), "patch Machine a"); n != 3 {
		t.Errorf("%d patches, want two that ask and one that withdraws", n)
	}
}

// TestRebootHelps: what still stands is withdrawn.
func TestRebootHelps(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{true, false} {
		f := newHarness(t, byReboot())
		a := f.sick("a")
		record := f.admit(a)
		f.reconcile(record)
		if done {
			unannotate(f, a, rebootannotation.Request)
		}
		f.judge(a, metav1.ConditionTrue)
		f.reconcile(record)
		f.wantStanding()
		f.wantRecord(record, "Ended Ended Recovered reboot:Succeeded")
	}
}

// TestRebootOfARecordThatIsGone is taken over.
func TestRebootOfARecordThatIsGone(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byReboot())
	a := f.sick("a", build.Annotation(rebootannotation.Request, "gone/1"), build.Annotation(rebootannotation.Operation, "gone/1"))
	record := f.admit(a)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Ended Ended Recovered reboot:Succeeded")
}

// TestRebootOfPlan makes an object of its own for each attempt, which leaves the ladder to the record.
func TestRebootOfPlan(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	twice := func(s *v1alpha1.RemediationStep) { s.Attempts = 2 }
	record := f.admit(a, by(step(v1alpha1.ActionReboot, twice), step(v1alpha1.ActionHold)))
	f.reconcile(record)
	f.wantStanding("RebootRemediation " + record.Name + "-1")
	cycle := f.objects(v1alpha1.GroupVersion.WithKind("RebootRemediation"))[0]
	spec := map[string]any{"kind": "Record", "name": record.Name, "uid": string(record.UID), "operationID": string(record.UID) + "/1"}
	by, _, _ := unstructured.NestedMap(cycle.Object, "spec", "requestedBy")
	if diff := cmp.Diff(spec, by); diff != "" {
		t.Errorf("requestedBy (-want +got):\n%s", diff)
	}
	changeStatus(f, &cycle, func(u *unstructured.Unstructured) {
		u.Object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "Succeeded", "status": "False", "reason": "Failed", "message": "it does not come up", "lastTransitionTime": "2026-01-01T00:00:00Z",
		}}}
	})
	f.reconcile(record)
	// One that is over stays as history.
	f.wantStanding("RebootRemediation "+record.Name+"-1", "RebootRemediation "+record.Name+"-2")
	f.wantRecord(record, "Acting Acting reboot:Failed reboot:-")
	f.pass(10 * time.Minute)
	f.reconcile(record)
	f.wantStanding("RebootRemediation " + record.Name + "-1")
	f.wantRecord(record, "Held HoldStep reboot:Failed reboot:TimedOut")
}

// TestNextCycleOfAnother: what another process makes for the next attempt, while this one still takes back the last, stays.
func TestNextCycleOfAnother(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	twice := func(s *v1alpha1.RemediationStep) { s.Attempts = 2 }
	record := f.admit(f.sick("a"), by(step(v1alpha1.ActionReboot, twice), step(v1alpha1.ActionHold)))
	kind := v1alpha1.GroupVersion.WithKind("RebootRemediation")
	f.reconcile(record)
	f.wantStanding("RebootRemediation " + record.Name + "-1")
	f.pass(10 * time.Minute)
	another := f.Reconciler
	f.restart()
	// It looks right after the delete, and before this one has seen what came of that.
	f.Live = &meddling{f.env.Client, record.Name + "-1", func() bool { return len(f.objects(kind)) == 0 }, func() {
		for range 3 {
			if _, err := another.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(record)}); err != nil {
				t.Error(err)
			}
		}
	}}
	f.reconcile(record)
	f.wantStanding("RebootRemediation " + record.Name + "-2")
	f.wantRecord(record, "Acting Acting reboot:TimedOut reboot:-")
}

// meddling is a reader that has something done once before it reads a name, as soon as that is due.
type meddling struct {
	client.Reader
	name string
	due  func() bool
	do   func()
}

// Get implements client.Reader.
func (m *meddling) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if do := m.do; do != nil && key.Name == m.name && m.due() {
		m.do = nil
		do()
	}
	return m.Reader.Get(ctx, key, obj, opts...)
}

// TestRebootIsMadeAgain: somebody deletes a RebootRemediation before its record could store that it made it. It is made again for the
// same attempt. The one that is stored is the only one that cycles the host.
func TestRebootIsMadeAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, by(step(v1alpha1.ActionReboot)))
	kind := v1alpha1.GroupVersion.WithKind("RebootRemediation")
	f.writes.fail = failing("update status of MachineRemediation", errCrash, false)
	if _, err := f.tryReconcile(record); err == nil {
		t.Fatal("it does not say that its status cannot be stored")
	}
	f.writes.fail = nil
	first := f.objects(kind)[0]
	remove(f, &first)
	f.restart()
	f.reconcile(record)
	again := f.objects(kind)[0]
	if again.GetUID() == first.GetUID() || again.GetName() != first.GetName() {
		t.Errorf("%s was not made again", first.GetName())
	}
	got, _ := stored(f, record)
	if n := len(got.Status.Attempts); n != 1 || got.Status.Attempts[0].ObjectRef.UID != again.GetUID() {
		t.Fatalf("%d attempts: %+v", n, got.Status.Attempts)
	}
	remove(f, &again)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Held NoStepLeft reboot:Failed")
}

// TestPersonTakesACycleOver: a host that a person keeps off is theirs.
func TestPersonTakesACycleOver(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, by(step(v1alpha1.ActionReboot)))
	f.reconcile(record)
	annotate(f, a, rebootannotation.Request+"/PowerOff", "")
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Pending HeldByOthers reboot:Aborted")
	f.wantSlot(record, false)
}

// TestPauseLetsTheHostGo: a pause stops what is at work, and a host is not kept off for it.
func TestPauseLetsTheHostGo(t *testing.T) {
	t.Parallel()
	plans := map[string]recordOption{"built-in": func(*v1alpha1.MachineRemediationSpec) {}, "plan": by(step(v1alpha1.ActionReboot))}
	rows(t, plans, func(t *testing.T, plan recordOption) {
		t.Helper()
		f := newHarness(t, byReboot())
		record := f.admit(f.sick("a"), plan)
		f.reconcile(record)
		setPaused(f, true)
		f.reconcile(record)
		f.wantStanding()
		f.wantRecord(record, "Pending Paused reboot:Aborted")
		f.wantSlot(record, false)
		setPaused(f, false)
		after := f.reconcile(record)
		f.pass(after)
		f.reconcile(record)
		f.wantRecord(record, "Pending NoSlot reboot:Aborted")
		f.grant(record)
		f.reconcile(record)
		if got, _ := stored(f, record); got.Status.Attempt != 2 || len(f.standing()) != 1 {
			t.Errorf("attempt %d, %q", got.Status.Attempt, f.standing())
		}
	})
}
