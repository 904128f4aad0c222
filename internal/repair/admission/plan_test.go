package admission

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func byPlan() build.MachineHealthCheckFunc {
	return build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan")
}

// planOption changes a plan.
type planOption func(*v1alpha1.RemediationPlan)

func mode(m v1alpha1.PlanMode) planOption {
	return func(p *v1alpha1.RemediationPlan) { p.Mode = m }
}

func steps(all ...v1alpha1.RemediationStep) planOption {
	return func(p *v1alpha1.RemediationPlan) { p.Steps = all }
}

func pacedBy(kinds ...v1alpha1.PacingDomain) planOption {
	return func(p *v1alpha1.RemediationPlan) { p.Pacing = &v1alpha1.RemediationPacing{Domains: kinds} }
}

// step is one by its action and its name.
func step(name string, action v1alpha1.Action) v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: name, Action: action}
}

// approved is one that a person must approve.
func approved(s v1alpha1.RemediationStep) v1alpha1.RemediationStep {
	s.Approval = v1alpha1.ApprovalRequired
	return s
}

var (
	wait    = step("wait", v1alpha1.ActionWait)
	reboot  = step("reboot", v1alpha1.ActionReboot)
	replace = step("replace", v1alpha1.ActionReplace)
	hold    = step("hold", v1alpha1.ActionHold)
)

// plan waits, reboots, replaces and then leaves the machine to a person.
func plan(opts ...planOption) *v1alpha1.MachineRemediationTemplate {
	template := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Name: "plan", UID: "plan-uid", Generation: 3}}
	template.Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{wait, reboot, replace, hold}
	for _, opt := range opts {
		opt(&template.Spec.Template.Spec)
	}
	return template
}

// planned are facts about a MachineHealthCheck with a plan.
func planned(p *v1alpha1.MachineRemediationTemplate, all ...Target) Facts {
	f := facts(check(byPlan()), all...)
	f.Template.Plan = p
	return f
}

// remembers adds records to the history of the cluster, and to those of the MachineHealthCheck.
func (f Facts) remembers(records ...*v1alpha1.MachineRemediation) Facts {
	f = f.with(records...)
	f.History = append(f.History, records...)
	return f
}

// ofPlan has a record follow the plan, and end after it has tried some steps.
func ofPlan(p *v1alpha1.MachineRemediationTemplate, reason string, tried ...string) recordOption {
	return func(r *v1alpha1.MachineRemediation) {
		r.Spec.TemplateRef = &v1alpha1.PlanReference{Name: p.Name, UID: p.UID, Generation: p.Generation}
		r.Spec.Steps, r.Spec.Finding.Reason = p.Spec.Template.Spec.Steps, "NodeNotFound"
		start, end := metav1.NewTime(ago(time.Hour)), metav1.NewTime(ago(30*time.Minute))
		for i, name := range tried {
			r.Status.Attempts = append(r.Status.Attempts, v1alpha1.RemediationAttempt{
				Number: int32(i + 1), Step: name, StartTime: &start, BeganAt: &start, EndTime: &end, Result: v1alpha1.ResultFailed,
				ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "MachineSet", UID: machineSet.UID},
			})
		}
		r.Status.CompletionTime = &end
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: reason}}
	}
}

// TestPlanGrants: who gets a slot with its record, and where it begins.
func TestPlanGrants(t *testing.T) {
	tried := func(p *v1alpha1.MachineRemediationTemplate, names ...string) *v1alpha1.MachineRemediation {
		return recordOf("a", ofPlan(p, v1alpha1.ReasonRecovered, names...))
	}
	twice := reboot
	twice.Approval = "Twice"
	tests := map[string]struct {
		plan      *v1alpha1.MachineRemediationTemplate
		tried     []string
		rule      string
		failed    bool
		want      int32
		wantStart string
	}{
		"an act":                                {plan(steps(reboot, hold)), nil, "", false, 1, "-"},
		"a wait, then an act":                   {plan(), nil, "", false, 1, "-"},
		"an act to approve":                     {plan(steps(approved(reboot), replace)), nil, "", false, 0, "-"},
		"a wait, then an act to approve":        {plan(steps(wait, approved(reboot))), nil, "", false, 0, "-"},
		"an act, then one to approve":           {plan(steps(reboot, approved(replace))), nil, "", false, 1, "-"},
		"an approval of a later version":        {plan(steps(twice)), nil, "", false, 0, "-"},
		"mode Approve":                          {plan(mode(v1alpha1.ModeApprove)), nil, "", false, 0, "-"},
		"a hold":                                {plan(steps(hold)), nil, "", false, 0, "-"},
		"a wait alone":                          {plan(steps(wait)), nil, "", false, 0, "-"},
		"a relapse":                             {plan(), []string{"reboot"}, "", false, 1, "replace"},
		"a relapse, then a hold":                {plan(), []string{"reboot", "replace"}, "", false, 0, "hold"},
		"a relapse, nothing is left":            {plan(steps(reboot)), []string{"reboot"}, "", false, 0, ""},
		"a relapse after a wait":                {plan(), []string{"wait"}, "", false, 1, "-"},
		"no memory":                             {plan(func(p *v1alpha1.RemediationPlan) { p.RelapseWindowSeconds = new(int32(0)) }), []string{"reboot"}, "", false, 1, "-"},
		"a rule":                                {plan(), nil, "replace", false, 1, "replace"},
		"a rule, to hold":                       {plan(), nil, "hold", false, 0, "hold"},
		"a rule, later than a relapse":          {plan(), []string{"reboot"}, "hold", false, 0, "hold"},
		"a rule, earlier than a relapse":        {plan(), []string{"reboot"}, "wait", false, 1, "replace"},
		"a rule to an act that needs approval":  {plan(steps(reboot, approved(replace))), nil, "replace", false, 0, "replace"},
		"a rule past one that needs approval":   {plan(steps(approved(reboot), replace)), nil, "replace", false, 0, "replace"},
		"a rule that cannot be evaluated":       {plan(), nil, "", true, 0, "-"},
		"the same, in spite of what was before": {plan(), []string{"reboot"}, "", true, 0, "replace"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := planned(tt.plan, sick("a"))
			if tt.tried != nil {
				f = f.remembers(tried(tt.plan, tt.tried...))
			}
			d := Decide(f, now)
			if len(d.Admit) != 1 {
				t.Fatalf("admitted are %v, waiting %v", admitted(d), waiting(d))
			}
			one := d.Admit[0]
			if tt.rule != "" || tt.failed {
				var err error
				if tt.failed {
					err = errors.New("no such key")
				}
				one = d.StartBy(one, tt.rule, "x", err)
			}
			start := "-"
			if one.Start != nil {
				start = one.Start.Step
			}
			if one.Grant != tt.want || start != tt.wantStart {
				t.Errorf("grant is %d, starts at %q; want %d at %q", one.Grant, start, tt.want, tt.wantStart)
			}
		})
	}
}

// TestApproveModeNeedsNoRoom: a record that waits for a person needs no slot, and is no reason to wait for others.
func TestApproveModeNeedsNoRoom(t *testing.T) {
	p := plan(mode(v1alpha1.ModeApprove), func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) }, pacedBy(v1alpha1.DomainOwner))
	d := Decide(planned(p, sick("a"), sick("b"), sick("c")).remembers(recordOf("c")), now)
	if diff := cmp.Diff([]string{"a: wait", "b: wait"}, admitted(d)); diff != "" {
		t.Errorf("admitted (-want +got):\n%s", diff)
	}
	for _, s := range d.Steps {
		if want := s.Action == v1alpha1.ActionReboot || s.Action == v1alpha1.ActionReplace; (s.Approval == v1alpha1.ApprovalRequired) != want {
			t.Errorf("step %s has approval %q", s.Name, s.Approval)
		}
	}
	if p.Spec.Template.Spec.Steps[1].Approval != "" {
		t.Error("the plan was changed, and not its copy")
	}
}

// TestPlanSpec: what a record copies from its plan.
func TestPlanSpec(t *testing.T) {
	host := &v1alpha1.RemediationReference{Name: "host", UID: "host-uid"}
	one := sick("a", build.NodeRef("node"))
	one.Host = host
	p := plan()
	f := planned(p, one)
	d := Decide(f, now)
	spec := Spec(f, d, d.StartBy(d.Admit[0], "replace", "x", nil), now)
	want := v1alpha1.MachineRemediationSpec{
		ClusterName:      build.ClusterName,
		MachineRef:       v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "a", UID: "uid-a"},
		NodeRef:          &v1alpha1.RemediationReference{Name: "node"},
		HostRef:          host,
		HealthCheckRef:   v1alpha1.RemediationReference{Name: "mhc", UID: f.MachineHealthCheck.UID},
		TemplateRef:      &v1alpha1.PlanReference{Name: "plan", UID: "plan-uid", Generation: 3},
		Finding:          v1alpha1.RemediationFinding{Reason: "NodeNotFound", Since: metav1.NewTime(ago(time.Minute))},
		Steps:            p.Spec.Template.Spec.Steps,
		StartAt:          &v1alpha1.RemediationStart{Step: "replace", Reason: "Rule x applies"},
		ProbationSeconds: new(int32(300)),
		Grant:            1,
	}
	if diff := cmp.Diff(want, spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHostRemembers: another machine on the same host goes on where the last one stopped; a replacement does so as well.
func TestHostRemembers(t *testing.T) {
	p := plan()
	one := sick("new")
	one.Host = &v1alpha1.RemediationReference{Name: "host", UID: "host-uid"}
	onHost := recordOf("old", ofPlan(p, v1alpha1.ReasonRecovered, "reboot"), func(r *v1alpha1.MachineRemediation) { r.Spec.HostRef = one.Host })
	if d := Decide(planned(p, one).remembers(onHost), now); d.Admit[0].Start == nil || d.Admit[0].Start.Step != "replace" {
		t.Errorf("on the same host it starts at %+v", d.Admit[0].Start)
	}
	next := recordstore.Name("new", "uid-new", 1)
	chained := recordOf("old", ofPlan(p, v1alpha1.ReasonReplacementFailed, "replace"), func(r *v1alpha1.MachineRemediation) {
		r.Status.ReplacementRef = &v1alpha1.RemediationReference{Name: next}
	})
	for name, own := range map[string][]*v1alpha1.MachineRemediation{
		"has no record":           nil,
		"has one that is in vain": {recordOf("new", ofPlan(p, v1alpha1.ReasonSuperseded))},
	} {
		d := Decide(planned(p, sick("new")).remembers(chained).remembers(own...), now)
		if d.Admit[0].Start == nil || d.Admit[0].Start.Step != "hold" {
			t.Errorf("in the place of another, a machine that %s starts at %+v", name, d.Admit[0].Start)
		}
	}
	proven := recordOf("new", ofPlan(p, v1alpha1.ReasonRecoveredUnaided))
	if d := Decide(planned(p, sick("new")).remembers(chained, proven), now); d.Admit[0].Start != nil {
		t.Errorf("a machine that has proven itself starts at %+v", d.Admit[0].Start)
	}
}

func TestAwaitedMachineIsJudgedByTheRecordThatWaits(t *testing.T) {
	f := planned(plan(), sick("a"), sick("b"))
	f.Await("uid-a", "record")
	d := Decide(f, now)
	if diff := cmp.Diff([]string{"b: wait"}, admitted(d)); diff != "" {
		t.Errorf("admitted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a: " + ReasonAwaited}, waiting(d)); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	if got, want := d.waitingMessage(), "; 1 is judged by the repair of the machine that it replaces: a"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPlanProblemStopsAdmissions(t *testing.T) {
	f := planned(plan(), sick("a"))
	f.Template.Problem = "MachineRemediationTemplate plan: rule x cannot be used"
	wantStopped(t, Decide(f, now), ReasonInvalidConfiguration)
}

func TestPlanMissing(t *testing.T) {
	f := planned(nil, sick("a"), stray(healthy("b")))
	f.Template.Missing = "MachineRemediationTemplate plan does not exist"
	d := Decide(f, now)
	if diff := cmp.Diff([]string{"b: " + ReasonTemplateNotFound, "a: " + ReasonTemplateNotFound}, waiting(d)); diff != "" || len(d.Admit) > 0 {
		t.Errorf("admitted %v; waiting (-want +got):\n%s", admitted(d), diff)
	}
}

// TestPlanGone: a plan that is deleted takes bound, pace and mode with it, so records that want a slot wait for its return.
func TestPlanGone(t *testing.T) {
	f := planned(plan(), sick("a"), sick("b")).with(recordOf("a", waitsFor(0)), recordOf("b", tried))
	if d := Decide(f, now); len(d.Admit) != 2 {
		t.Fatalf("with the plan admitted are %v", admitted(d))
	}
	f.Template = Template{Missing: "MachineRemediationTemplate plan does not exist"}
	d := Decide(f, now)
	if diff := cmp.Diff([]string{"b: " + ReasonTemplateNotFound, "a: " + ReasonTemplateNotFound}, waiting(d)); diff != "" || len(d.Admit) > 0 {
		t.Errorf("admitted %v; waiting (-want +got):\n%s", admitted(d), diff)
	}
	foreign := facts(check(byTemplate()), sick("a")).with(recordOf("a", waitsFor(0)))
	foreign.Template.Missing = "it does not exist"
	if d := Decide(foreign, now); len(d.Admit) != 1 {
		t.Errorf("a template of others holds up records: %v", waiting(d))
	}
}

// TestModeOfALaterVersion: a manager that does not know the mode of a plan does nothing by it.
func TestModeOfALaterVersion(t *testing.T) {
	if d := Decide(planned(plan(mode("Rehearse")), sick("a")), now); !d.Config.OnlyReports() {
		t.Errorf("config %+v", d.Config)
	}
}

func TestObserveSaysWhatWouldBeDone(t *testing.T) {
	d := Decide(planned(plan(mode(v1alpha1.ModeObserve)), sick("a")), now)
	c := dryRunCondition(d)
	if !d.Config.OnlyReports() || c.Reason != ReasonObserve || c.Message != "Would repair a (wait)" {
		t.Errorf("config %+v, condition %+v", d.Config, c)
	}
	nothing := d.Admit[0]
	nothing.Start = &v1alpha1.RemediationStart{}
	d.Admit[0] = nothing
	if got, want := d.dryRunMessage(), "Would repair a (none, a person decides)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPaceGrowsAsRepairsAreProven: one at first, then as the repairs are proven; a lone fault elsewhere does not wait for a flood.
func TestPaceGrowsAsRepairsAreProven(t *testing.T) {
	other := build.MachineSet(ns, "other", build.UID("other-uid"))
	alone := build.MachineFunc(func(m *clusterv1.Machine) { m.OwnerReferences = nil })
	flood := []Target{sick("a"), sick("b"), sick("c"), sick("lone", alone, build.OwnedBy(other))}
	p := plan(steps(replace, hold), pacedBy(v1alpha1.DomainOwner))
	d := Decide(planned(p, flood...), now)
	if diff := cmp.Diff([]string{"a: replace", "lone: replace"}, admitted(d)); diff != "" {
		t.Errorf("admitted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b: Paced", "c: Paced"}, waiting(d)); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	message := "4 of 4 machines not healthy (4 sick), no limit set; 2 wait their turn: b, c (MachineSet set has as many unproven repairs as it may have (1))"
	if got := d.allowedMessage(); got != message {
		t.Errorf("got  %s\nwant %s", got, message)
	}
	if unpaced := Decide(planned(plan(steps(replace, hold)), flood...), now); len(unpaced.Admit) != 4 {
		t.Errorf("without pacing admitted are %v", admitted(unpaced))
	}
	failed := recordOf("gone", ofPlan(p, v1alpha1.ReasonUnproven, "replace"), func(r *v1alpha1.MachineRemediation) {
		r.Annotations = map[string]string{"sickbay.dev/owner-uid": string(machineSet.UID)}
		end := metav1.NewTime(ago(time.Second))
		r.Status.CompletionTime = &end
	})
	d = Decide(planned(p, flood...).remembers(failed), now)
	if diff := cmp.Diff([]string{"lone: replace"}, admitted(d)); diff != "" {
		t.Errorf("admitted after a failure (-want +got):\n%s", diff)
	}
	if d.RecheckAt.IsZero() || d.RecheckAt.Sub(now) > 10*time.Minute {
		t.Errorf("recheck at %s, want when it has cooled down", d.RecheckAt)
	}
	if diff := cmp.Diff([]string{"lone: replace", "a: replace"}, admittedAt(planned(p, flood...).remembers(failed), d.RecheckAt)); diff != "" {
		t.Errorf("admitted then (-want +got):\n%s", diff)
	}
}

func admittedAt(f Facts, at time.Time) []string { return admitted(Decide(f, at)) }

// TestPacedWithStrays: what is taken over takes its room, too.
func TestPacedWithStrays(t *testing.T) {
	p := plan(steps(replace, hold), pacedBy(v1alpha1.DomainOwner))
	d := Decide(planned(p, stray(sick("a")), sick("b")), now)
	if diff := cmp.Diff([]string{"a: taken over"}, admitted(d)); diff != "" {
		t.Errorf("admitted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b: Paced"}, waiting(d)); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
}
