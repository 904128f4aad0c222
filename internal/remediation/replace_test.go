package remediation

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
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
	f.pass(10 * time.Minute)
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
	// For the act all that it goes by, and that the Machine is gone.
	past := []string{"Cluster cluster", "Machine a", "Machine a", "MachineHealthCheck mhc", "MachineRemediation " + record.Name}
	if diff := cmp.Diff(past, reads.sorted()); diff != "" {
		t.Errorf("reads past the cache (-want +got):\n%s", diff)
	}
	if n := 2 + len(want) + len(past) + 1; n > mostRequests {
		t.Errorf("%d requests", n)
	}
	event := "Normal RemediationStarted Step replace: waits for MachineSet set to replace the machine; it begins again if that does not help. MachineHealthCheck mhc: Node not found"
	if diff := cmp.Diff([]string{event}, f.announced()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	got, _ := stored(f, record)
	if !closed(got) {
		t.Errorf("labels %v, finalizers %v: it still counts as open", got.Labels, got.Finalizers)
	}
}

// TestDeletion of a Machine that nobody owns: it says so while that takes, and also if the Machine goes at once.
func TestDeletion(t *testing.T) {
	t.Parallel()
	t.Run("it takes", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a", orphan(), build.Finalizer(keep))
		record := f.admit(a)
		f.reconcile(record)
		f.wantStanding("a: deleting")
		f.wantRecord(record, "Acting Acting replace:-")
		f.wantSlot(record, true)
		f.goes(a)
		f.reconcile(record)
		f.wantRecord(record, "Ended Ended Replaced replace:Succeeded")
	})
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		record := f.admit(f.sick("a", orphan()))
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting replace:-")
		f.reconcile(record)
		f.wantRecord(record, "Ended Ended Replaced replace:Succeeded")
		want := []string{
			"delete Machine a", "update status of MachineRemediation " + record.Name,
			"update status of MachineRemediation " + record.Name, "patch MachineRemediation " + record.Name,
		}
		if diff := cmp.Diff(want, f.writes.since()); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		if got := f.announced(); len(got) != 1 || !strings.HasPrefix(got[0], "Normal RemediationStarted Step replace: waits until the machine is deleted") {
			t.Errorf("announced %q", got)
		}
	})
	for name, finalizers := range map[string][]build.MachineOption{"it takes": {build.Finalizer(keep)}, "at once": nil} {
		t.Run("and a crash before the status, "+name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			a := f.sick("a", append(finalizers, orphan())...)
			record := f.admit(a)
			f.writes.fail = failing("update status", errCrash, false)
			if _, err := f.tryReconcile(record); err == nil {
				t.Fatal("no error, though the process has crashed")
			}
			f.writes.fail = nil
			f.restart()
			f.reconcile(record)
			f.goes(a)
			f.reconcile(record)
			f.wantRecord(record, "Ended Ended Replaced replace:Succeeded")
			if n := count(f.writes.since(), "delete Machine"); n != 1 {
				t.Errorf("%d deletions", n)
			}
		})
	}
}

// TestOwnerThatDoesNotAnswer: one that cannot be brought to answer gives the slot to others, and begins again later.
func TestOwnerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	if after := f.reconcile(record); after != 10*time.Minute {
		t.Errorf("looks again after %s", after)
	}
	f.pass(10*time.Minute - time.Second)
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.pass(time.Second)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Pending Refused replace:Refused")
	f.wantSlot(record, false)
}

// TestOwnerAtWork: one that has answered another mark, or deletes a machine, is not given up.
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
		f := newHarness(t)
		other(f)
		record := f.admit(f.sick("a"))
		f.reconcile(record)
		f.pass(20 * time.Minute)
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting replace:-")
	})
}

// TestOwnerSays: its words are passed on, and stop the clock.
func TestOwnerSays(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.reconcile(record)
	f.answer(a, clusterv1.MachineSetMachineRemediationDeferredReason, "one at a time")
	f.reconcile(record)
	if got, _ := stored(f, record); ladder.Progress(&got.Status).Message != "MachineSet set says: one at a time" {
		t.Errorf("it says %q", ladder.Progress(&got.Status).Message)
	}
	f.pass(24 * time.Hour)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting replace:-")
	f.wantStanding("a: mark")

	f.answer(a, clusterv1.MachineSetMachineCannotBeRemediatedReason, "no way")
	f.reconcile(record)
	f.wantRecord(record, "Acting Refused replace:-")
	f.pass(time.Hour)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Pending Backoff replace:Failed")
	f.wantSlot(record, false)
}

// TestOwnerThatAnswersAndDeletesNothing, as when a webhook refuses the deletion: the mark is withdrawn after an hour, and the
// slot goes to others. While the machine is being deleted, it is not.
func TestOwnerThatAnswersAndDeletesNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a, b := f.sick("a"), f.sick("b", build.Finalizer(keep))
	first, second := f.admit(a), f.admit(b)
	for _, record := range []*v1alpha1.MachineRemediation{first, second} {
		f.reconcile(record)
	}
	f.answer(a, clusterv1.MachineSetMachineRemediationMachineDeletingReason, "Machine is deleting")
	f.answer(b, clusterv1.MachineSetMachineRemediationMachineDeletingReason, "Machine is deleting")
	f.reconcile(first)
	f.pass(10 * time.Minute)
	for _, record := range []*v1alpha1.MachineRemediation{first, second} {
		if after := f.reconcile(record); after != time.Hour {
			t.Errorf("looks again after %s", after)
		}
		f.wantRecord(record, acting)
	}
	remove(f, b)
	f.announced()
	f.pass(time.Hour)
	f.reconcile(first)
	// The clock of the test is ahead of the API server's.
	f.reconcile(second)
	f.wantRecord(first, "Pending Backoff replace:Failed")
	f.wantRecord(second, "Acting DeletionOverdue replace:-")
	f.wantSlot(first, false)
	f.wantSlot(second, true)
	f.wantStanding("b: deleting", "b: mark")
	if got := f.announced(); len(got) != 2 || !strings.HasPrefix(got[0], "Warning RemediationAttemptFailed Step replace: MachineSet set has said since ") {
		t.Errorf("events %q", got)
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
	f.reconcile(record)
	f.announced()
	for range 3 {
		f.pass(time.Hour)
		f.reconcile(record)
	}
	f.wantRecord(record, "Acting DeletionOverdue replace:-")
	if got := f.announced(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning RemediationDeletionOverdue Waiting until MachineSet set has replaced the machine") {
		t.Errorf("events %q", got)
	}
}

// TestMarkIsNotTouched while it belongs to the owner, whatever the cache shows.
func TestMarkIsNotTouched(t *testing.T) {
	t.Parallel()
	for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown} {
		f := newHarness(t)
		a := f.sick("a")
		record := f.admit(a)
		f.reconcile(record)
		f.freeze(record)
		changeStatus(f, a, func(m *clusterv1.Machine) {
			meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
				Type: clusterv1.MachineOwnerRemediatedCondition, Status: status, Reason: "RemediationDeferred", Message: "not now",
			})
		})
		before, _ := stored(f, a)
		f.reconcile(record)
		lagging := f.cache
		f.restart()
		f.Client = lagging
		f.reconcile(record)
		f.restart()
		f.reconcile(record)
		if after, _ := stored(f, a); after.ResourceVersion != before.ResourceVersion {
			t.Errorf("%s: the Machine was written to: %+v", status, after.Status.Conditions)
		}
		f.wantRecord(record, "Acting Acting replace:-")
	}
}

// TestMarkTakenAway: it is not set again in that attempt, which has failed.
func TestMarkTakenAway(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.reconcile(record)
	changeStatus(f, a, func(m *clusterv1.Machine) {
		meta.RemoveStatusCondition(&m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	})
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Pending Backoff replace:Failed")
}

// TestMarkAnsweredAfterItsEnd: the owner has read it before, and sets it again by its answer. It goes all the same.
func TestMarkAnsweredAfterItsEnd(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, by(step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	change(f, record, func(r *v1alpha1.MachineRemediation) {
		r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerCancel, By: "ann"}
	})
	f.reconcile(record)
	f.wantStanding()
	f.answer(a, clusterv1.MachineSetMachineRemediationDeferredReason, "one at a time")
	f.wantStanding("a: mark")
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Held Cancelled replace:Cancelled")
}

// markAs leaves a Machine to its owner, under the name of a field owner.
func (f *harness) markAs(machine *clusterv1.Machine, fieldOwner string) {
	f.t.Helper()
	got, _ := stored(f, machine)
	meta.SetStatusCondition(&got.Status.Conditions, metav1.Condition{
		Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: clusterv1.MachineOwnerRemediatedWaitingForRemediationReason,
	})
	if err := f.env.Client.Status().Update(f.t.Context(), got, client.FieldOwner(fieldOwner)); err != nil {
		f.t.Fatal(err)
	}
}

// TestMarkWithoutRecord is taken over, and can be withdrawn: a power cycle that somebody else has asked for has set it.
func TestMarkWithoutRecord(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	f.markAs(a, ownwrites.RebootMarkFieldOwner)
	record := f.admit(a)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting replace:-")
	if made := f.writes.since(); count(made, "Machine a") != 0 {
		t.Errorf("written: %q", made)
	}
	annotate(f, a, clusterv1.MachineSkipRemediationAnnotation, "")
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Ended Ended HandedBack replace:Aborted")
}

// TestMarkAfterTheCycleOfAPerson: a person has had the host cycled in vain, and that has asked the owner for another machine, as it
// says. A plan that never replaces takes that back only when nobody needs it any more.
func TestMarkAfterTheCycleOfAPerson(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byReboot())
	a := f.sick("a")
	record := f.admit(a)
	f.gate.over = "somebody else is in flight"
	f.reconcile(record)
	f.wantRecord(record, "Pending NoSlot")
	f.markAs(a, ownwrites.RebootMarkFieldOwner)
	for range 2 {
		f.pass(time.Minute)
		f.reconcile(record)
		f.wantStanding("a: mark")
	}
	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantStanding()
}
