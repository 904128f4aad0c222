package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// fixStep is a step that asks another controller to fix the machine.
func fixStep() v1alpha1.RemediationStep {
	return step(v1alpha1.ActionRequest, func(s *v1alpha1.RemediationStep) {
		s.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: templateKind.GroupVersion().String(), Kind: templateKind.Kind, Name: "fix"}
	})
}

// TestStepOfAKindThatIsNotInstalled can never begin, and the next step follows.
func TestStepOfAKindThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	missing := fixStep()
	missing.TemplateRef.Kind = "MissingTemplate"
	record := f.admit(f.sick("a"), by(missing, step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.wantRecord(record, "Acting Acting request:Impossible replace:-")
}

// TestNextRequestThatCannotBeReadHoldsNothingUp: the machine recovers, or a person cancels, or the MachineHealthCheck is deleted.
func TestNextRequestThatCannotBeReadHoldsNothingUp(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(f *harness, a *clusterv1.Machine, record *v1alpha1.MachineRemediation){
		"recovers": func(f *harness, a *clusterv1.Machine, _ *v1alpha1.MachineRemediation) {
			f.judge(a, metav1.ConditionTrue)
		},
		"no check": func(f *harness, _ *clusterv1.Machine, _ *v1alpha1.MachineRemediation) { remove(f, f.mhc) },
		"deleted":  func(f *harness, _ *clusterv1.Machine, record *v1alpha1.MachineRemediation) { remove(f, record) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			f.template()
			a := f.sick("a")
			record := f.admit(a, by(step(v1alpha1.ActionReboot), fixStep()))
			f.reconcile(record)
			f.cycleBegins(record)
			f.reconcile(record)
			f.Live = f.refuses(fixKind.Kind, unreadableKinds["no rights"])
			f.pass(11 * time.Minute)
			f.reconcile(record)
			happens(f, a, record)
			for range 4 {
				f.reconcile(record)
				f.pass(time.Hour)
			}
			if got, ok := stored(f, record); ok && !ladder.Ended(got) {
				t.Errorf("hours later, record is %q: %s", f.summary(record), ladder.Progress(&got.Status).Message)
			}
		})
	}
}
