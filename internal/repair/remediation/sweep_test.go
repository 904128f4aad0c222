package remediation

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// actLate does what a former leader does that carries out the first attempt of a record when another one has ended it.
func (f *harness) actLate(act string, machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) error {
	f.t.Helper()
	machine, _ = stored(f, machine)
	asked := remedy.Request{
		Record: record, Step: record.Spec.Steps[0],
		Attempt: v1alpha1.RemediationAttempt{Number: 1, OperationID: ladder.OperationID(record, 1)},
	}
	switch act {
	case "replace":
		return remedy.Mark(f.t.Context(), f.env.Client, machine, f.clock.Now())
	case "request":
		_, err := remedy.MakeRequest(f.t.Context(), f.env.Client, f.env.Client, asked)
		return err
	default:
		if _, err := remedy.MakeReboot(f.t.Context(), f.env.Client, f.env.Client, asked); err != nil {
			return err
		}
		return remedy.Sign(f.t.Context(), f.env.Client, machine, asked.Attempt.OperationID)
	}
}

// markedAsItEnds admits a machine that gets healthy. Just before the end of its record is stored, the machine falls sick again, a former leader marks
// it, and something else happens.
func (f *harness) markedAsItEnds(a *clusterv1.Machine, happens func()) *v1alpha1.MachineRemediation {
	f.t.Helper()
	record := f.admit(a)
	f.judge(a, metav1.ConditionTrue)
	f.writes.meddle = onceBefore("update status of MachineRemediation", func() {
		f.judge(a, metav1.ConditionFalse)
		if err := f.actLate("replace", a, record); err != nil {
			f.t.Error(err)
		}
		happens()
	})
	return record
}

// TestLateActOfAnother: what another record of the machine has asked for since is left alone.
func TestLateActOfAnother(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.judge(a, metav1.ConditionTrue)
	var next *v1alpha1.MachineRemediation
	f.writes.meddle = onceBefore("update status of MachineRemediation", func() {
		f.judge(a, metav1.ConditionFalse)
		next = f.admitAgain(a, 2)
		if err := f.actLate("replace", a, next); err != nil {
			t.Error(err)
		}
	})
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.wantRecord(record, "Ended Ended RecoveredUnaided")
}

// TestSweepOfADeletingMachine: a former leader marks a machine that somebody deletes and that does not go. That holds up nothing of ours.
func TestSweepOfADeletingMachine(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.markedAsItEnds(a, func() {
		// Somebody deletes the machine, and a finalizer keeps it.
		change(f, a, func(m *clusterv1.Machine) { m.Finalizers = []string{keep} })
		remove(f, a)
	})
	for range 3 {
		_, _ = f.tryReconcile(record) // It may be refused, and is tried again.
		f.pass(time.Hour)
	}
	if got, ok := stored(f, record); ok && ladder.Ended(got) && !closed(got) {
		t.Errorf("the record has ended, and keeps its finalizer and its label for as long as the deletion of the machine hangs")
	}
}

// TestSweepIsRefused: a webhook refuses every write on the machine. The record that has ended must be able to go, or say for whom it
// waits.
func TestSweepIsRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.markedAsItEnds(a, func() {})
	f.writes.fail = failing("patch status of Machine a", apierrors.NewForbidden(schema.GroupResource{Resource: "machines"}, "a", nil), false)
	for range 3 {
		_, _ = f.tryReconcile(record) // It is refused, and tried again.
		f.pass(time.Hour)
	}
	got, _ := stored(f, record)
	if !closed(got) {
		t.Errorf("it is %q and not closed: %v, %v, says %q", f.summary(record), got.Finalizers, got.Labels, ladder.Progress(&got.Status).Message)
	}
}

// TestSweepCannotRead: the API server shows the machine's Cluster no more. The record that has ended does not wait for that for ever.
func TestSweepCannotRead(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.markedAsItEnds(a, func() {
		f.Live = hooked{f.env.Client, func(_ client.ObjectKey, obj client.Object) error {
			if _, ok := obj.(*clusterv1.Cluster); ok {
				return apierrors.NewInternalError(errCrash)
			}
			return nil
		}}
	})
	for range 3 {
		_, _ = f.tryReconcile(record) // It cannot read, and tries again.
		f.pass(sweepTime)
	}
	if got, _ := stored(f, record); !closed(got) {
		t.Errorf("it is %q and not closed: %v, %v", f.summary(record), got.Finalizers, got.Labels)
	}
}

// TestSweepFailsOnce: nobody has looked for hours, and then the API server does not answer at once. That is no reason to give up.
func TestSweepFailsOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.judge(a, metav1.ConditionFalse)
	if err := f.actLate("replace", a, record); err != nil {
		t.Fatal(err)
	}
	f.pass(2 * sweepTime)
	f.writes.fail = failing("patch status of Machine a", errCrash, false)
	if _, err := f.tryReconcile(record); err == nil {
		t.Error("it does not say that it has failed")
	}
	f.writes.fail = nil
	f.reconcile(record)
	f.wantStanding()
	if got, _ := stored(f, record); !closed(got) {
		t.Errorf("the record is %s", f.summary(record))
	}
}

// TestLateRebootOfAnEarlierAttempt: a former leader makes the RebootRemediation of attempt 1 when attempt 2 is at work.
func TestLateRebootOfAnEarlierAttempt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, by(step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Attempts = 2 })))
	first := record.DeepCopy()
	// Attempt 1 could not be carried out: the answer of the API server was an error. It is over, and the slot goes back.
	f.writes.fail = failing("create RebootRemediation", apierrors.NewInternalError(errCrash), false)
	f.reconcile(record)
	f.writes.fail = nil
	f.wantStanding()
	f.wantRecord(record, "Pending Backoff reboot:NotBegun")
	f.pass(10 * time.Minute)
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Spec.Grant++ })
	f.reconcile(record)
	f.wantStanding("RebootRemediation " + record.Name + "-2")
	// Now attempt 1 takes effect.
	asked := remedy.Request{
		Record: first, Step: first.Spec.Steps[0],
		Attempt: v1alpha1.RemediationAttempt{Number: 1, Step: "reboot", OperationID: ladder.OperationID(first, 1)},
	}
	if _, err := remedy.MakeReboot(t.Context(), f.env.Client, f.env.Client, asked); err != nil {
		t.Fatal(err)
	}
	f.reconcile(record)
	f.pass(time.Minute)
	f.reconcile(record)
	// The second attempt helps, and the record ends.
	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.pass(2 * time.Minute)
	f.reconcile(record)
	f.reconcile(record)
	if got, _ := stored(f, record); !closed(got) {
		t.Errorf("it is %s", f.summary(record))
	}
	cycles := f.objects(cycleKind)
	for i := range cycles {
		t.Errorf("the record is %s, the machine is healthy, and %s stands: its host is about to be cycled", f.summary(record), cycles[i].GetName())
	}
}

// TestUnseenActs: an entry of several attempts that nobody began may show what another of them than the last asked for.
func TestUnseenActs(t *testing.T) {
	made := &v1alpha1.RemediationObjectReference{Kind: "MachineSet", Name: "set"}
	for name, tt := range map[string]struct {
		attempt v1alpha1.RemediationAttempt
		want    []int32
	}{
		"one that asked":        {v1alpha1.RemediationAttempt{Number: 3, ObjectRef: made}, nil},
		"one that asked nobody": {v1alpha1.RemediationAttempt{Number: 3}, []int32{3}},
		"two":                   {v1alpha1.RemediationAttempt{Number: 3, ObjectRef: made, Count: 2}, []int32{3, 2}},
		"two that asked nobody": {v1alpha1.RemediationAttempt{Number: 3, Count: 2}, []int32{3, 2}},
	} {
		record := &v1alpha1.MachineRemediation{Spec: v1alpha1.MachineRemediationSpec{Steps: []v1alpha1.RemediationStep{step(v1alpha1.ActionReplace)}}}
		tt.attempt.Step = "replace"
		record.Status.Attempts = []v1alpha1.RemediationAttempt{tt.attempt}
		var got []int32
		for _, asked := range unseenActs(record) {
			got = append(got, asked.Attempt.Number)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
