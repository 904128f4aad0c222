package remediation

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// checked stores a Machine for which the health check of another controller has asked, by a request of its name, and its record.
func (f *harness) checked(steps ...v1alpha1.RemediationStep) (*clusterv1.Machine, *v1alpha1.MachineRemediation) {
	f.t.Helper()
	a := f.sick("a")
	_, asks := f.request(a, "a")
	if len(steps) == 0 {
		steps = []v1alpha1.RemediationStep{step(v1alpha1.ActionReboot)}
	}
	return a, f.admit(a, asks, func(s *v1alpha1.MachineRemediationSpec) { s.Steps = steps })
}

// unjudged removes the verdict on a Machine.
func unjudged(m *clusterv1.Machine) {
	meta.RemoveStatusCondition(&m.Status.Conditions, verdict.ConditionType)
}

// TestAskedByAnotherCheck: its record goes by the verdict; without one, its request is its word.
func TestAskedByAnotherCheck(t *testing.T) {
	t.Parallel()
	rows(t, map[string]struct {
		becomes func(f *harness, a *clusterv1.Machine)
		// before and atWork are the record if that happens at first, or while the host is cycled.
		before, atWork string
	}{
		"as it was": {func(*harness, *clusterv1.Machine) {}, "Acting Acting reboot:-", "Acting Acting reboot:-"},
		"not judged": {
			func(f *harness, a *clusterv1.Machine) { changeStatus(f, a, unjudged) }, "Acting Acting reboot:-", "Acting Acting reboot:-",
		},
		"undecided": {func(f *harness, a *clusterv1.Machine) { f.judge(a, metav1.ConditionUnknown) }, "Pending Undecided", "Acting Acting reboot:-"},
		"healthy": {
			func(f *harness, a *clusterv1.Machine) { f.judge(a, metav1.ConditionTrue) }, "Ended Ended RecoveredUnaided", "Ended Ended Recovered reboot:Succeeded",
		},
		"no more of interest": {
			func(f *harness, _ *clusterv1.Machine) { remove(f, cycleNamed(f, "a")) }, "Ended Ended RecoveredUnaided", "Ended Ended Recovered reboot:Succeeded",
		},
		"of interest anew": {
			func(f *harness, a *clusterv1.Machine) { remove(f, cycleNamed(f, "a")); f.request(a, "a") },
			"Ended Ended RecoveredUnaided", "Ended Ended Recovered reboot:Succeeded",
		},
		"not judged, and no more of interest": {
			func(f *harness, a *clusterv1.Machine) { changeStatus(f, a, unjudged); remove(f, cycleNamed(f, "a")) },
			"Ended Ended RecoveredUnaided", "Ended Ended Recovered reboot:Succeeded",
		},
	}, func(t *testing.T, tt struct {
		becomes        func(f *harness, a *clusterv1.Machine)
		before, atWork string
	}) {
		t.Helper()
		f := newHarness(t)
		a, record := f.checked()
		tt.becomes(f, a)
		f.reconcile(record)
		f.wantRecord(record, tt.before)
		f = newHarness(t)
		a, record = f.checked()
		f.reconcile(record)
		f.cycleBegins(record)
		f.reconcile(record)
		tt.becomes(f, a)
		f.reconcile(record)
		f.wantRecord(record, tt.atWork)
		if n := f.cycles(); (n > 0) != (tt.atWork == "Acting Acting reboot:-") {
			t.Errorf("%d cycles", n)
		}
	})
}

// TestCheckInVain: a cycle that is done proves nothing while the machine is sick. What follows is tried in its order, and then the record ends: the
// other controller decides what becomes of the machine.
func TestCheckInVain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a, record := f.checked(step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Attempts = 2 }), step(v1alpha1.ActionReplace))
	f.reconcile(record)
	for range 2 {
		f.cycleBegins(record)
		f.reconcile(record)
		f.cycleEnds(record, v1alpha1.Succeeded, v1alpha1.ReasonRecovered, "The Node is back")
		f.reconcile(record)
		f.pass(11 * time.Minute)
		f.reconcile(record)
	}
	f.wantRecord(record, "Acting Acting reboot:TimedOut reboot:TimedOut replace:-")
	if got, _ := stored(f, a); !meta.IsStatusConditionFalse(got.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition) {
		t.Error("the Machine is not marked for its owner")
	}
	f.answer(a, clusterv1.MachineSetMachineCannotBeRemediatedReason, "too few")
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended NotDone reboot:TimedOut reboot:TimedOut replace:Impossible")
	if got, _ := stored(f, a); meta.FindStatusCondition(got.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition) != nil {
		t.Error("the mark is left")
	}
	if f.reconcile(record); f.sign(a) != "" {
		t.Errorf("the Machine shows %q", f.sign(a))
	}
}

// TestCheckReplaces: the owner is asked for another machine only with a verdict, and the record ends with the machine.
func TestCheckReplaces(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a, record := f.checked(step(v1alpha1.ActionReplace))
	changeStatus(f, a, unjudged)
	f.reconcile(record)
	f.wantStanding("RebootRemediation a")
	if got, _ := stored(f, record); got.Status.CompletionTime != nil || got.Status.Phase == v1alpha1.RemediationHeld {
		t.Errorf("without a verdict, it is %s", f.summary(record))
	}
	f.judge(a, metav1.ConditionFalse)
	f.pass(10 * time.Minute)
	f.reconcile(record)
	f.wantStanding("RebootRemediation a", "a: mark")
	change(f, a, func(m *clusterv1.Machine) { m.Finalizers = []string{keep} })
	remove(f, a)
	f.reconcile(record)
	change(f, a, func(m *clusterv1.Machine) { m.Finalizers = nil })
	f.reconcile(record)
	if got, _ := stored(f, record); meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSucceeded) == nil {
		t.Errorf("with the machine gone, it is %s", f.summary(record))
	} else if reason := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSucceeded).Reason; reason != v1alpha1.ReasonReplaced {
		t.Errorf("it ends as %s", reason)
	}
}

// TestCheckWithoutHealthCheck: a Machine that no MachineHealthCheck selects any more is repaired as long as the request stands.
func TestCheckWithoutHealthCheck(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation(clusterv1.PausedAnnotation, ""))
	a, record := f.checked()
	f.reconcile(record)
	f.wantRecord(record, "Pending Paused")
	remove(f, f.mhc)
	changeStatus(f, a, unjudged)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
}
