package remediation

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestReboot by the built-in plan: one RebootRemediation in each of two attempts, and never replaced. The time of an attempt runs from when
// the reboot controller began it.
func TestReboot(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byReboot())
	record := f.admit(f.sick("a"))
	for number, result := range []string{"reboot:-", "reboot:TimedOut reboot:-"} {
		f.reconcile(record)
		f.wantStanding(fmt.Sprintf("RebootRemediation %s-%d", record.Name, number+1))
		f.pass(30 * time.Minute)
		f.cycleBegins(record)
		if after := f.reconcile(record); after != time.Hour {
			t.Errorf("looks again after %s", after)
		}
		f.restart()
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting "+result)
		if got, _ := stored(f, record); !ladder.Last(&got.Status).BeganAt.Time.Equal(f.clock.Now()) {
			t.Errorf("it began at %s, want %s", ladder.Last(&got.Status).BeganAt, f.clock.Now())
		}
		f.pass(time.Hour)
	}
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Held NoStepLeft reboot:TimedOut reboot:TimedOut")
	if n := count(f.writes.since(), "create RebootRemediation"); n != 2 {
		t.Errorf("%d cycles", n)
	}
}

// TestCycleThatWaits: what the RebootRemediation says of a cycle that has not begun is read.
func TestCycleThatWaits(t *testing.T) {
	t.Parallel()
	const succeeded, available = v1alpha1.ConditionSucceeded, v1alpha1.ConditionHostAvailable
	for name, tt := range map[string]struct {
		says func(f *harness, record *v1alpha1.MachineRemediation)
		want string
	}{
		"for its turn": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycleSays(record, succeeded, metav1.ConditionUnknown, v1alpha1.ReasonThrottled, "one at a time")
		}, "Acting Acting reboot:-"},
		"for its turn, for an hour": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycleSays(record, succeeded, metav1.ConditionUnknown, v1alpha1.ReasonThrottled, "one at a time")
			f.pass(time.Hour)
		}, "Pending Backoff reboot:NotBegun"},
		"for a person": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycleSays(record, available, metav1.ConditionFalse, v1alpha1.ReasonSuspendedByUser, "somebody wants the host off")
		}, "Pending Backoff reboot:NotBegun"},
		"in vain": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) {
				s.Phase, s.Outcome = v1alpha1.Failed, v1alpha1.ReasonHostUnavailable
			})
			f.cycleSays(record, succeeded, metav1.ConditionFalse, v1alpha1.ReasonHostUnavailable, "there is no host")
		}, "Held HoldStep reboot:Impossible"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, build.Annotation(mhcspec.MaxInFlightAnnotation, "1"))
			record := f.admit(f.sick("a"), by(step(v1alpha1.ActionReboot), step(v1alpha1.ActionHold)))
			f.reconcile(record)
			tt.says(f, record)
			f.reconcile(record)
			f.wantRecord(record, tt.want)
			f.wantSlot(record, strings.HasPrefix(tt.want, "Acting"))
		})
	}
}

// TestSign: the Machine shows the cycle as long as its RebootRemediation stands, whatever becomes of it. A person who sets the annotation
// keeps it.
func TestSign(t *testing.T) {
	t.Parallel()
	sign := func(f *harness, a *clusterv1.Machine) string {
		got, _ := stored(f, a)
		return got.Annotations[rebootannotation.Request]
	}
	for name, tt := range map[string]struct {
		happens func(f *harness, a *clusterv1.Machine, record *v1alpha1.MachineRemediation)
		want    string
	}{
		"healthy": {func(f *harness, a *clusterv1.Machine, _ *v1alpha1.MachineRemediation) {
			f.judge(a, metav1.ConditionTrue)
		}, ""},
		"done": {func(f *harness, _ *clusterv1.Machine, record *v1alpha1.MachineRemediation) {
			f.cycleSays(record, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, "Failed", "it does not come up")
		}, ""},
		"paused":  {func(f *harness, _ *clusterv1.Machine, _ *v1alpha1.MachineRemediation) { setPaused(f, true) }, ""},
		"deleted": {func(f *harness, _ *clusterv1.Machine, record *v1alpha1.MachineRemediation) { remove(f, record) }, ""},
		"a person's now": {func(f *harness, a *clusterv1.Machine, record *v1alpha1.MachineRemediation) {
			annotate(f, a, rebootannotation.Request, "now")
			f.judge(a, metav1.ConditionTrue)
		}, "now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			a := f.sick("a")
			record := f.admit(a, by(step(v1alpha1.ActionReboot), step(v1alpha1.ActionHold)), func(s *v1alpha1.MachineRemediationSpec) { s.ProbationSeconds = new(int32(0)) })
			f.reconcile(record)
			f.cycleBegins(record)
			f.reconcile(record)
			if got := sign(f, a); got != ladder.OperationID(record, 1) {
				t.Fatalf("it shows %q", got)
			}
			tt.happens(f, a, record)
			f.reconcile(record)
			if got := sign(f, a); got != tt.want {
				t.Errorf("the record is %q, and the Machine shows %q", f.summary(record), got)
			}
		})
	}
}

// TestSignIsRefused: the cycle does not wait for it.
func TestSignIsRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byReboot())
	record := f.admit(f.sick("a"))
	f.writes.fail = failing("patch Machine a", errRefused, false)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
	f.wantStanding(ofCycle(record))
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
	cycle := f.objects(cycleKind)[0]
	spec := map[string]any{"kind": "Record", "name": record.Name, "uid": string(record.UID), "operationID": string(record.UID) + "/1"}
	by, _, _ := unstructured.NestedMap(cycle.Object, "spec", "requestedBy")
	if diff := cmp.Diff(spec, by); diff != "" {
		t.Errorf("requestedBy (-want +got):\n%s", diff)
	}
	f.cycleBegins(record)
	f.cycleSays(record, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, "Failed", "it does not come up")
	f.reconcile(record)
	// One that is over stays as history.
	f.wantStanding("RebootRemediation "+record.Name+"-1", "RebootRemediation "+record.Name+"-2")
	f.wantRecord(record, "Acting Acting reboot:Failed reboot:-")
	f.cycleBegins(record)
	f.reconcile(record)
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
	f.reconcile(record)
	f.cycleBegins(record)
	f.reconcile(record)
	f.pass(10 * time.Minute)
	another := f.Reconciler
	f.restart()
	// It looks right after the delete, and before this one has seen what came of that.
	var once sync.Once
	f.Live = hooked{f.env.Client, func(key client.ObjectKey, _ client.Object) error {
		if key.Name != record.Name+"-1" || len(f.objects(cycleKind)) > 0 {
			return nil
		}
		once.Do(func() {
			for range 3 {
				if _, err := another.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(record)}); err != nil {
					t.Error(err)
				}
			}
		})
		return nil
	}}
	f.reconcile(record)
	f.wantStanding("RebootRemediation " + record.Name + "-2")
	f.wantRecord(record, "Acting Acting reboot:TimedOut reboot:-")
}

// TestRebootIsMadeAgain: somebody deletes a RebootRemediation before its record could store that it made it. It is made again for the
// same attempt. The one that is stored is the only one that cycles the host.
func TestRebootIsMadeAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, by(step(v1alpha1.ActionReboot)))
	f.writes.fail = failing("update status of MachineRemediation", errCrash, false)
	if _, err := f.tryReconcile(record); err == nil {
		t.Fatal("it does not say that its status cannot be stored")
	}
	f.writes.fail = nil
	first := f.objects(cycleKind)[0]
	remove(f, &first)
	f.restart()
	f.reconcile(record)
	again := f.objects(cycleKind)[0]
	if again.GetUID() == first.GetUID() || again.GetName() != first.GetName() {
		t.Errorf("%s was not made again", first.GetName())
	}
	got, _ := stored(f, record)
	if n := len(got.Status.Attempts); n != 1 || got.Status.Attempts[0].ObjectRef.UID != again.GetUID() {
		t.Fatalf("%d attempts: %+v", n, got.Status.Attempts)
	}
	f.cycleBegins(record)
	f.reconcile(record)
	remove(f, &again)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Held NoStepLeft reboot:Failed")
}
