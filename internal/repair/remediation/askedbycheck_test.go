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

// TestRequestBeforeTheVerdict: Cluster API's controller first makes its request, and only then writes HealthCheckSucceeded=False; with many sick machines
// its client waits seconds in between. Until then the Machine has the verdict of last week. That does not answer the request: it would never be
// asked again, because the request exists.
func TestRequestBeforeTheVerdict(t *testing.T) {
	t.Parallel()
	rows(t, map[string]build.MachineOption{
		"it was healthy":      judgedAs(metav1.ConditionTrue, build.Epoch),
		"it was never judged": build.MachineFunc(func(m *clusterv1.Machine) { m.Status.Conditions = nil }),
	}, func(t *testing.T, before build.MachineOption) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a", build.MachineFunc(func(m *clusterv1.Machine) { m.Status.Conditions = nil }), before)
		build.Create(t.Context(), t, f.env.Client, &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "a", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: "a", UID: a.UID},
		}}})
		f.takesIn(a)
		record := f.onlyRecord()
		f.reconcile(record)
		f.takesIn(a)
		f.pass(time.Second)
		f.judge(a, metav1.ConditionFalse)
		for range 3 {
			f.takesIn(a)
			f.reconcile(record)
			f.pass(time.Hour)
		}
		request, _ := stored(f, cycleNamed(f, "a"))
		if told := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded); told != nil && told.Status == metav1.ConditionTrue {
			t.Errorf("the machine is sick, its request stands, and is answered %s %s: %s; %d cycles", told.Status, told.Reason, told.Message, f.cycles())
		}
		if n := len(record.Spec.Steps); n != 2 {
			t.Errorf("the plan has %d step: its owner is never asked for another machine", n)
		}
	})
}
