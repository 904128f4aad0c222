package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/health"
)

// unseen is what kstatus answers about an object that nobody has looked at.
const unseen = "InProgress LatestGenerationNotObserved"

// TestKStatus: a record is in progress until it has ended, also while nobody has looked at it and while a person decides, and stays done then.
func TestKStatus(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	machine := f.sick("a")
	record := f.admit(machine, by(step(v1alpha1.ActionWait)))
	isTo := func(want, sample string) {
		t.Helper()
		health.Is(t, f.env.Client, record, want, sample)
	}
	isTo(unseen, "progressing_new")
	f.reconcile(record)
	isTo("InProgress Acting", "progressing_acting")
	f.pass(time.Hour)
	f.reconcile(record)
	isTo("InProgress NoStepLeft", "suspended_held")
	f.judge(machine, metav1.ConditionTrue)
	for range 2 {
		f.reconcile(record)
		f.pass(time.Hour)
	}
	isTo("Current", "healthy_ended")
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Spec.Grant++ })
	isTo(unseen, "")
	f.reconcile(record)
	isTo("Current", "")
}

// TestKStatusOfPlans: a plan that cannot be used has failed, until it is mended.
func TestKStatusOfPlans(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	check := &planCheck{client: f.Client, clock: f.clock, rules: &f.rules}
	plan := f.storePlan(ladderOfThree, v1alpha1.RemediationRule{Name: "bad", Expression: "machine.nothing", StartAt: "hold"})
	isTo := func(want, unseenSample, sample string) {
		t.Helper()
		health.Is(t, f.env.Client, plan, unseen, unseenSample)
		if _, err := check.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(plan)}); err != nil {
			t.Fatal(err)
		}
		health.Is(t, f.env.Client, plan, want, sample)
	}
	isTo("Failed InvalidRule", "progressing_new", "degraded_invalid_rule")
	change(f, plan, func(p *v1alpha1.MachineRemediationTemplate) {
		p.Spec.Template.Spec.Rules[0].Expression = "machine.controlPlane"
	})
	isTo("Current", "progressing_edited", "healthy_accepted")
}
