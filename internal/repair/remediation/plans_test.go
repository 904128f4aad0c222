package remediation

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// storePlan stores a plan.
func (f *harness) storePlan(steps []v1alpha1.RemediationStep, rules ...v1alpha1.RemediationRule) *v1alpha1.MachineRemediationTemplate {
	f.t.Helper()
	plan := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "plan"}}
	plan.Spec.Template.Spec = v1alpha1.RemediationPlan{Steps: steps, Rules: rules, ProbationSeconds: new(int32(60))}
	build.Create(f.t.Context(), f.t, f.env.Client, plan)
	return plan
}

// follows has the record follow a stored plan.
func follows(plan *v1alpha1.MachineRemediationTemplate) recordOption {
	return func(s *v1alpha1.MachineRemediationSpec) {
		s.TemplateRef = &v1alpha1.PlanReference{Name: plan.Name, UID: plan.UID, Generation: plan.Generation}
		s.Steps, s.ProbationSeconds = plan.Spec.Template.Spec.Steps, plan.Spec.Template.Spec.ProbationSeconds
	}
}

var ladderOfThree = []v1alpha1.RemediationStep{step(v1alpha1.ActionWait), step(v1alpha1.ActionReboot), step(v1alpha1.ActionHold)}

// TestRulesAreAskedBeforeEachStep, by what was read just now. They lead forward, and never back.
func TestRulesAreAskedBeforeEachStep(t *testing.T) {
	t.Parallel()
	type row struct {
		rules []v1alpha1.RemediationRule
		want  string
	}
	tests := map[string]row{
		"none":             {nil, "Acting Acting wait:-"},
		"one is true":      {[]v1alpha1.RemediationRule{{Name: "yes", Expression: "findings.exists(f, f.type == 'Ready' && f.reason == 'KubeletNotReady')", StartAt: "reboot"}}, "Acting Acting reboot:-"},
		"it says hold":     {[]v1alpha1.RemediationRule{{Name: "hold", Expression: "machine.name == 'a'", StartAt: "hold"}}, "Held HoldStep"},
		"it fails":         {[]v1alpha1.RemediationRule{{Name: "bad", Expression: "machine.labels['none'] == 'x'", StartAt: "hold"}}, "Held PlanProblem"},
		"by what is tried": {[]v1alpha1.RemediationRule{{Name: "tried", Expression: "attempts.exists(a, a.step == 'wait')", StartAt: "hold"}}, "Acting Acting wait:-"},
	}
	rows(t, tests, func(t *testing.T, tt row) {
		t.Helper()
		f := newHarness(t, build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, time.Minute))
		f.nodes.Put(f.clusterKey(), build.Node("a", build.NodeReady(metav1.ConditionFalse, build.Epoch)))
		plan := f.storePlan(ladderOfThree, tt.rules...)
		record := f.admit(f.sick("a"), follows(plan))
		f.reconcile(record)
		f.wantRecord(record, tt.want)
		if tt.want != "Acting Acting wait:-" {
			return
		}
		f.pass(10 * time.Minute)
		f.reconcile(record)
		want := "Acting Acting wait:TimedOut reboot:-"
		if len(tt.rules) > 0 && tt.rules[0].Name == "tried" {
			want = "Held HoldStep wait:TimedOut"
		}
		f.wantRecord(record, want)
	})
}

// TestWhyThereIsNoSlot: a record that waits for a slot says what the gate says of its pace, and that its plan is gone.
func TestWhyThereIsNoSlot(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan"))
	plan := f.storePlan([]v1alpha1.RemediationStep{step(v1alpha1.ActionReplace)})
	record := f.admit(f.sick("a"), follows(plan), func(s *v1alpha1.MachineRemediationSpec) { s.Grant = 0 })
	f.gate.paced = "MachineSet set cools down after the last repair"
	says := func(reason, message string, wants bool) {
		t.Helper()
		f.reconcile(record)
		got, _ := stored(f, record)
		if c := ladder.Progress(&got.Status); c.Reason != reason || c.Message != message {
			t.Errorf("it says %+v", c)
		}
		if got, _ := ladder.WantsSlot(got, f.clock.Now()); got != wants {
			t.Errorf("it wants a slot: %v", got)
		}
	}
	noSlot := "Step replace waits for a slot of MachineHealthCheck mhc"
	says(v1alpha1.ReasonNoSlot, noSlot, true)
	change(f, plan, func(p *v1alpha1.MachineRemediationTemplate) {
		p.Spec.Template.Spec.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
	})
	says(v1alpha1.ReasonPaced, f.gate.paced, true)
	f.gate.paced = ""
	says(v1alpha1.ReasonNoSlot, noSlot, true)
	remove(f, plan)
	says(v1alpha1.ReasonGateClosed, "MachineRemediationTemplate plan of MachineHealthCheck mhc does not exist", false)
	f.storePlan([]v1alpha1.RemediationStep{step(v1alpha1.ActionReplace)})
	says(v1alpha1.ReasonNoSlot, noSlot, true)
}

// TestPlanCheck says whether a plan can be used, once.
func TestPlanCheck(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	check := &planCheck{client: f.Client, clock: f.clock, rules: &f.rules}
	look := func(plan *v1alpha1.MachineRemediationTemplate) {
		t.Helper()
		if _, err := check.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(plan)}); err != nil {
			t.Fatal(err)
		}
	}
	plan := f.storePlan(ladderOfThree, v1alpha1.RemediationRule{Name: "bad", Expression: "machine.nothing", StartAt: "hold"})
	look(plan)
	expect.ConditionIs(t.Context(), t, f.env.Client, plan, metav1.Condition{
		Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse, Reason: ReasonInvalidRule, ObservedGeneration: 1,
		Message: "rule bad cannot be used: 1:8: undefined field 'nothing'",
	})
	look(plan)
	if made := f.writes.since(); len(made) != 1 {
		t.Errorf("written: %q", made)
	}
	change(f, plan, func(p *v1alpha1.MachineRemediationTemplate) {
		p.Spec.Template.Spec.Rules[0].Expression = "machine.controlPlane"
	})
	look(plan)
	expect.ConditionIs(t.Context(), t, f.env.Client, plan, metav1.Condition{
		Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: ReasonAccepted, ObservedGeneration: 2,
	})
	remove(f, plan)
	look(plan)
}

// TestLongPlanProblem: the error of a rule quotes an annotation, which may be longer than the message of a condition. It is said all the same.
func TestLongPlanProblem(t *testing.T) {
	t.Parallel()
	for name, expression := range map[string]string{
		"a key":   "machine.labels[machine.annotations['example.com/pool']] == 'x'",
		"a regex": "'a'.matches(machine.annotations['example.com/pool'])",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			plan := f.storePlan(ladderOfThree, v1alpha1.RemediationRule{Name: "pool", Expression: expression, StartAt: "hold"})
			record := f.admit(f.sick("a", build.Annotation("example.com/pool", "("+strings.Repeat("x", 40_000))), follows(plan))
			f.reconcile(record)
			f.wantRecord(record, "Held PlanProblem")
		})
	}
}
