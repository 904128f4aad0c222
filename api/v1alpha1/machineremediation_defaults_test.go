package v1alpha1_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestStepsAreReadWithDefaults(t *testing.T) {
	type read struct {
		Attempts int32
		Timeout  time.Duration
	}
	for name, tt := range map[string]struct {
		given v1alpha1.RemediationStep
		want  read
	}{
		"nothing, as without the CustomResourceDefinition": {v1alpha1.RemediationStep{}, read{1, 0}},
		"one attempt":               {v1alpha1.RemediationStep{Attempts: 1}, read{1, 0}},
		"ten attempts":              {v1alpha1.RemediationStep{Attempts: 10}, read{10, 0}},
		"fewer than none":           {v1alpha1.RemediationStep{Attempts: -1}, read{1, 0}},
		"a second":                  {v1alpha1.RemediationStep{TimeoutSeconds: new(int32(1))}, read{1, time.Second}},
		"a week":                    {v1alpha1.RemediationStep{TimeoutSeconds: new(int32(604800))}, read{1, 7 * 24 * time.Hour}},
		"no time is no timeout":     {v1alpha1.RemediationStep{TimeoutSeconds: new(int32(0))}, read{1, 0}},
		"less than no time, either": {v1alpha1.RemediationStep{TimeoutSeconds: new(int32(-1))}, read{1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, read{tt.given.MaxAttempts(), tt.given.Timeout()}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// planSettings are the settings of a plan as a controller reads them.
type planSettings struct {
	Mode                     v1alpha1.PlanMode
	Probation, RelapseWindow time.Duration
}

func readPlan(p v1alpha1.RemediationPlan) planSettings {
	return planSettings{p.EffectiveMode(), p.Probation(), p.RelapseWindow()}
}

func TestPlansAreReadWithDefaults(t *testing.T) {
	usual := planSettings{v1alpha1.ModeAct, 5 * time.Minute, 7 * 24 * time.Hour}
	for name, tt := range map[string]struct {
		given v1alpha1.RemediationPlan
		want  planSettings
	}{
		"nothing, as without the CustomResourceDefinition": {v1alpha1.RemediationPlan{}, usual},
		"mode":              {v1alpha1.RemediationPlan{Mode: v1alpha1.ModeObserve}, planSettings{v1alpha1.ModeObserve, usual.Probation, usual.RelapseWindow}},
		"times":             {v1alpha1.RemediationPlan{ProbationSeconds: new(int32(60)), RelapseWindowSeconds: new(int32(3600))}, planSettings{v1alpha1.ModeAct, time.Minute, time.Hour}},
		"0 is 0":            {v1alpha1.RemediationPlan{ProbationSeconds: new(int32(0)), RelapseWindowSeconds: new(int32(0))}, planSettings{v1alpha1.ModeAct, 0, 0}},
		"less is not meant": {v1alpha1.RemediationPlan{ProbationSeconds: new(int32(-1)), RelapseWindowSeconds: new(int32(-1))}, usual},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readPlan(tt.given)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatALaterVersionSays: who does not know what a later version of Sickbay has stored goes on as if it were the stricter case.
func TestWhatALaterVersionSays(t *testing.T) {
	for result, want := range map[v1alpha1.AttemptResult]bool{
		"": true, v1alpha1.ResultSucceeded: true, v1alpha1.ResultFailed: true, v1alpha1.ResultTimedOut: true, "Exploded": true,
		v1alpha1.ResultWithdrawn: false, v1alpha1.ResultNotBegun: false, v1alpha1.ResultImpossible: false, v1alpha1.ResultAborted: false,
		v1alpha1.ResultDenied: false, v1alpha1.ResultCancelled: false, v1alpha1.ResultUnneeded: false,
	} {
		if got := result.Counts(); got != want {
			t.Errorf("an attempt with the result %q counts: %t", result, got)
		}
	}
	for approval, want := range map[v1alpha1.Approval]bool{"": false, v1alpha1.ApprovalNotRequired: false, v1alpha1.ApprovalRequired: true, "Twice": true} {
		if got := (v1alpha1.RemediationStep{Approval: approval}).NeedsApproval(); got != want {
			t.Errorf("a step with the approval %q needs one: %t", approval, got)
		}
	}
}

func TestProbationOfRecords(t *testing.T) {
	for _, tt := range []struct {
		given *int32
		want  time.Duration
	}{{nil, 0}, {new(int32(0)), 0}, {new(int32(300)), 5 * time.Minute}, {new(int32(-1)), 0}} {
		if got := (v1alpha1.MachineRemediationSpec{ProbationSeconds: tt.given}).Probation(); got != tt.want {
			t.Errorf("the probation of %v is %s, want %s", tt.given, got, tt.want)
		}
	}
}

// TestDefaultsOfPlansArrive: plans get the defaults, and the functions return the same ones.
func TestDefaultsOfPlansArrive(t *testing.T) {
	e := env.Get(t)
	given := unstructuredOf("MachineRemediationTemplate", e.Namespace(t), "plan")
	given.Object["spec"] = map[string]any{"template": map[string]any{"spec": parse(t, "steps: [{name: replace, action: Replace, timeoutSeconds: 60}, {name: hold, action: Hold}]")}}
	build.Create(t.Context(), t, e.Client, given)
	got := &v1alpha1.MachineRemediationTemplate{}
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(given), got); err != nil {
		t.Fatal(err)
	}
	want := v1alpha1.RemediationPlan{
		Mode: v1alpha1.ModeAct, ProbationSeconds: new(int32(300)), RelapseWindowSeconds: new(int32(604800)),
		Steps: []v1alpha1.RemediationStep{withDefaults("replace", v1alpha1.ActionReplace, new(int32(60))), withDefaults("hold", v1alpha1.ActionHold, nil)},
	}
	if diff := cmp.Diff(want, got.Spec.Template.Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(readPlan(v1alpha1.RemediationPlan{}), readPlan(got.Spec.Template.Spec)); diff != "" {
		t.Errorf("without and with the CustomResourceDefinition (-without +with):\n%s", diff)
	}
}

// withDefaults returns a step as the API server stores it.
func withDefaults(name string, action v1alpha1.Action, timeout *int32) v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{
		Name: name, Action: action, TimeoutSeconds: timeout,
		DoneWhen: v1alpha1.DoneWhenMachineHealthy, Attempts: 1, Approval: v1alpha1.ApprovalNotRequired,
	}
}

// TestDefaultsOfRecordsArrive: a record has defaults only for its steps and the grant.
func TestDefaultsOfRecordsArrive(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	want := v1alpha1.MachineRemediationSpec{
		ClusterName:    "c",
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "machine", UID: "u1"},
		HealthCheckRef: v1alpha1.RemediationReference{Name: "mhc", UID: "u2"},
		Finding:        v1alpha1.RemediationFinding{Reason: "NodeNotFound", Since: metav1.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		Steps:          []v1alpha1.RemediationStep{withDefaults("replace", v1alpha1.ActionReplace, new(int32(3600)))},
	}
	for name, change := range map[string]string{"unsaid": "{}", "no-grant": "grant: 0"} {
		given := unstructuredOf("MachineRemediation", ns, name)
		given.Object["spec"] = parse(t, with(t, record, change))
		build.Create(t.Context(), t, e.Client, given)
		if diff := cmp.Diff(want, storedRecord(t, e.Client, ns, name).Spec); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if _, ok := given.Object["spec"].(map[string]any)["grant"]; !ok {
			t.Errorf("%s: there is no grant, so one that is taken away later would not be noticed", name)
		}
	}
	typed := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "typed"}, Spec: want}
	typed.Spec.Steps = []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600))}}
	build.Create(t.Context(), t, e.Client, typed)
	if diff := cmp.Diff(want, storedRecord(t, e.Client, ns, "typed").Spec); diff != "" {
		t.Errorf("typed (-want +got):\n%s", diff)
	}
}

// storedRecord returns a MachineRemediation as the API server stores it.
func storedRecord(t *testing.T, c client.Client, ns, name string) *v1alpha1.MachineRemediation {
	t.Helper()
	got := &v1alpha1.MachineRemediation{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestRecordsComeBackAsTheyWere: every field of the spec survives storing.
func TestRecordsComeBackAsTheyWere(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	given := unstructuredOf("MachineRemediation", ns, "full")
	given.Object["spec"] = parse(t, fullRecord)
	build.Create(t.Context(), t, e.Client, given)
	read := storedRecord(t, e.Client, ns, "full")
	again := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "again"}, Spec: *read.Spec.DeepCopy()}
	build.Create(t.Context(), t, e.Client, again)
	if diff := cmp.Diff(read.Spec, storedRecord(t, e.Client, ns, "again").Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := read.Spec; got.NodeRef == nil || got.HostRef == nil || got.TemplateRef == nil || got.StartAt == nil || got.Decision == nil || got.ProbationSeconds == nil || got.Grant != 2 {
		t.Errorf("some of the spec is lost: %+v", got)
	}
}
