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
