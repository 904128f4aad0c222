package machinehealthcheck

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

func byPlan() build.MachineHealthCheckFunc {
	return build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan")
}

// plan stores a plan that reboots, replaces and then leaves the machine to a person.
func (w *harness) plan(t *testing.T, opts ...func(*v1alpha1.RemediationPlan)) *v1alpha1.MachineRemediationTemplate {
	t.Helper()
	template := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "plan"}}
	template.Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{
		{Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(600))},
		{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(600))},
		{Name: "hold", Action: v1alpha1.ActionHold},
	}
	for _, opt := range opts {
		opt(&template.Spec.Template.Spec)
	}
	build.Create(t.Context(), t, w.env.Client, template)
	return template
}

// rule begins at a step if an expression is true.
func rule(expression, startAt string) func(*v1alpha1.RemediationPlan) {
	return func(p *v1alpha1.RemediationPlan) {
		p.Rules = append(p.Rules, v1alpha1.RemediationRule{Name: "rule", Expression: expression, StartAt: startAt})
	}
}

// TestPlanRules: where a record begins, by what its Node says.
func TestPlanRules(t *testing.T) {
	t.Parallel()
	const gone = `findings.exists(f, f.reason == 'NodeNotFound')`
	tests := map[string]struct {
		rule      func(*v1alpha1.RemediationPlan)
		wantStart *v1alpha1.RemediationStart
		wantSlot  bool
	}{
		"one that leads to a hold":  {rule(gone, "hold"), &v1alpha1.RemediationStart{Step: "hold", Reason: "Rule rule applies"}, false},
		"one that nobody can judge": {rule(`machine.labels['x'] == 'y'`, "replace"), nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			a := w.longSick(t, "a")
			w.sick(t, "b", build.Label("x", "y"))
			w.plan(t, tt.rule, func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) })
			mhc := w.check(t, byPlan())
			w.reconcile(t, mhc)
			r := w.recordOf(t, a)
			if diff := cmp.Diff(tt.wantStart, r.Spec.StartAt); diff != "" || ladder.HasSlot(r) != tt.wantSlot {
				t.Errorf("grant is %d; startAt (-want +got):\n%s", r.Spec.Grant, diff)
			}
			if got := len(w.records(t)) == 2; got == tt.wantSlot {
				t.Errorf("there are %d records: b gets the slot that a does not take, and no other", len(w.records(t)))
			}
		})
	}
}

// TestPlanWithBadRule: the status says so, and nobody is admitted.
func TestPlanWithBadRule(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.plan(t, rule("machine.colour == 'red'", "hold"))
	mhc := w.check(t, byPlan())
	w.reconcile(t, mhc)
	if all := w.records(t); len(all) > 0 {
		t.Errorf("there are %d records", len(all))
	}
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionRemediationAllowed, Status: metav1.ConditionFalse, Reason: admission.ReasonInvalidConfiguration, ObservedGeneration: 1,
		Message: "Nothing is repaired: MachineRemediationTemplate plan: rule rule cannot be used: 1:8: undefined field 'colour'; 1 waits: a",
	})
}

// TestPlanModes: Observe says what would be done, by the step that its rules lead to; Approve waits for a person, with a record.
func TestPlanModes(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	p := w.plan(t, rule("true", "replace"), func(p *v1alpha1.RemediationPlan) { p.Mode = v1alpha1.ModeObserve })
	mhc := w.check(t, byPlan())
	w.reconcile(t, mhc)
	if all := w.records(t); len(all) > 0 {
		t.Errorf("there are %d records", len(all))
	}
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionDryRun, Status: metav1.ConditionTrue, Reason: admission.ReasonObserve, ObservedGeneration: 1, Message: "Would repair a (replace)",
	})
	change(t, w, p, func(p *v1alpha1.MachineRemediationTemplate) { p.Spec.Template.Spec.Mode = v1alpha1.ModeApprove })
	w.reconcile(t, mhc)
	if r := w.recordOf(t, a); r.Spec.Grant != 0 || r.Spec.Steps[0].Approval != v1alpha1.ApprovalRequired || r.Spec.Steps[2].Approval == v1alpha1.ApprovalRequired {
		t.Errorf("got %+v", r.Spec)
	}
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, admission.ConditionDryRun)
}

// TestPlanIsEditedMeanwhile: what the cache does not show yet is not copied.
func TestPlanIsEditedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	p := w.plan(t)
	mhc := w.check(t, byPlan())
	w.freeze(t, mhc, mhc)
	change(t, w, p, func(p *v1alpha1.MachineRemediationTemplate) { p.Spec.Template.Spec.Mode = v1alpha1.ModeObserve })
	w.reconcile(t, mhc)
	if all := w.records(t); len(all) > 0 {
		t.Errorf("there are %d records", len(all))
	}
}

// askedOwner stores that the record of a machine has asked its owner for another one.
func (w *harness) askedOwner(t *testing.T, machine *clusterv1.Machine) {
	t.Helper()
	owner := metav1.GetControllerOf(machine)
	changeStatus(t, w, w.recordOf(t, machine), func(r *v1alpha1.MachineRemediation) {
		at := metav1.NewTime(machine.CreationTimestamp.Add(-time.Minute))
		r.Status.Attempt, r.Status.Step = 1, "replace"
		r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "replace", StartTime: &at, ObjectRef: &v1alpha1.RemediationObjectReference{
			APIVersion: owner.APIVersion, Kind: owner.Kind, Name: owner.Name, UID: owner.UID,
		}}}
	})
}

// TestAwaitedMachine: a machine that an open record waits for in the place of its own is not admitted before that has ended.
func TestAwaitedMachine(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	first := w.sick(t, "first", build.OwnedBy(w.set))
	w.plan(t)
	mhc := w.check(t, byPlan())
	w.reconcile(t, mhc)
	w.askedOwner(t, first)
	w.remove(t, first)
	w.sick(t, "second", build.OwnedBy(w.set))
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "first: reboot")
	c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed)
	if !strings.HasSuffix(c.Message, "1 is judged by the repair of the machine that it replaces: second") {
		t.Errorf("message is %q", c.Message)
	}
	other := build.MachineHealthCheck(w.ns, "other")
	build.Create(t.Context(), t, w.env.Client, other)
	following := w.recordOf(t, first)
	following.Status.ReplacementRef = &v1alpha1.RemediationReference{Name: "second"}
	looks := pauses{after: map[string]time.Duration{}}
	w.recordEvents().Update(t.Context(), event.UpdateEvent{ObjectOld: following, ObjectNew: w.recordOf(t, first)}, looks)
	if _, woken := looks.after[other.Name]; !woken {
		t.Error("nobody looks at second when the repair of first ends, as another MachineHealthCheck selects it")
	}
	if err := w.env.Client.Delete(t.Context(), mhc); err != nil {
		t.Fatal(err)
	}
	if _, woken := w.ofRecord(t.Context(), w.recordOf(t, first))[scaffold.RequestFor(other)]; !woken {
		t.Error("nobody looks at second when the repair of first ends, as its MachineHealthCheck is gone")
	}
	w.end(t, first)
	w.reconcile(t, other)
	w.wantAdmitted(t, "second: replace")
}

// TestHangingDeletion: the deletion of a machine hangs, and its record waits for its end. A machine that its owner makes
// meanwhile and that falls sick does not wait for that.
func TestHangingDeletion(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	first := w.sick(t, "first", build.OwnedBy(w.set))
	w.plan(t, func(p *v1alpha1.RemediationPlan) { p.Steps = p.Steps[1:] })
	mhc := w.check(t, byPlan())
	w.reconcile(t, mhc)
	w.askedOwner(t, first)
	change(t, w, first, func(m *clusterv1.Machine) { m.Finalizers = []string{"test.sickbay.dev/keep"} })
	remove(t, w, first)
	w.sick(t, "second", build.OwnedBy(w.set))
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "first: replace", "second: replace")
}

// TestPaceOfAnotherCheck: two MachineHealthChecks share a failure domain. The one that waits for a repair of the other wakes up when that
// is over.
func TestPaceOfAnotherCheck(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	team := func(name string) build.MachineOption {
		return build.MachineFunc(func(m *clusterv1.Machine) { m.Labels["team"], m.Spec.FailureDomain = name, "zone-1" })
	}
	a := w.sick(t, "a", team("a"))
	w.sick(t, "b", team("b"))
	w.plan(t, func(p *v1alpha1.RemediationPlan) {
		p.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainFailureDomain}}
	})
	checks := map[string]*clusterv1.MachineHealthCheck{}
	for _, name := range []string{"a", "b"} {
		checks[name] = build.MachineHealthCheck(w.ns, name, byPlan(), build.Selector(map[string]string{"team": name}))
		build.Create(t.Context(), t, w.env.Client, checks[name])
		w.reconcile(t, checks[name])
	}
	w.wantAdmitted(t, "a: reboot")
	w.judge(t, a, metav1.ConditionTrue)
	w.end(t, a)
	for woken := range w.ofRecord(t.Context(), w.recordOf(t, a)) {
		w.reconcile(t, checks[woken.Name])
	}
	w.wantAdmitted(t, "b: reboot")
}

// TestManagerPlan: a plan that comes or changes is noticed.
func TestManagerPlan(t *testing.T) {
	t.Parallel()
	h := newRunning(t)
	a := h.admit("a")
	mhc := h.check(t, diskRule(), byPlan())
	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.says(mhc)).Should(HaveSuffix("1 waits for its remediation template: a"))
	p := h.plan(t, func(p *v1alpha1.RemediationPlan) { p.Mode = v1alpha1.ModeObserve })
	h.Eventually(func() bool {
		latest, _ := stored(t, h.harness, mhc)
		return meta.IsStatusConditionTrue(latest.Status.Conditions, admission.ConditionDryRun)
	}).Should(BeTrue())
	change(t, h.harness, p, func(p *v1alpha1.MachineRemediationTemplate) { p.Spec.Template.Spec.Mode = v1alpha1.ModeAct })
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: reboot"}))
}
