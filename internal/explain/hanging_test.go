package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// inSections returns where the page about the fleet lists each machine.
func inSections(f explain.Fleet) map[string]string {
	where := map[string]string{}
	for name, items := range map[string][]explain.Item{
		"needs you": f.NeedsYou, "waiting": f.Waiting, "in repair": f.InRepair, "deleting": f.Deleting, "starting": f.Starting, "paused": f.Paused,
	} {
		for _, item := range items {
			where[item.Name] = strings.TrimSpace(where[item.Name] + " " + name)
		}
	}
	return where
}

// TestDeletionsAreListed: a deletion is listed once it takes longer than a minute, and longer than usual. It does not matter who repairs, pauses or
// watches the machine.
func TestDeletionsAreListed(t *testing.T) {
	s := explaintest.New()
	deleted := func(ago time.Duration) build.MachineOption { return build.Deleting(s.Now.Add(-ago)) }
	s.Healthy("just", deleted(time.Minute))
	s.Healthy("late", deleted(time.Minute+time.Second))
	s.Sick("sick", time.Hour, deleted(time.Hour))
	s.Healthy("paused", deleted(time.Hour), build.Annotation(clusterv1.PausedAnnotation, ""))
	s.Healthy("skipped", deleted(time.Hour), build.Annotation(clusterv1.MachineSkipRemediationAnnotation, ""))
	ofOwner := func(m *clusterv1.Machine) {
		m.OwnerReferences = []metav1.OwnerReference{{Kind: "MachineSet", Name: "slow", UID: "slow", Controller: new(true)}}
	}
	s.Healthy("as-usual", deleted(5*time.Minute), build.MachineFunc(ofOwner))
	s.Healthy("unusual", deleted(7*time.Minute), build.MachineFunc(ofOwner))
	for _, took := range []time.Duration{2 * time.Minute, 6 * time.Minute, 4 * time.Minute} {
		s.Records = append(s.Records, replaced("slow", s.Now, took))
	}
	f := s.Facts()
	want := map[string]string{"late": "deleting", "sick": "deleting", "paused": "deleting", "skipped": "deleting", "unusual": "deleting"}
	if diff := cmp.Diff(want, inSections(f.Fleet())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := new(f.Fleet()).Headline(); got != "5 machines take long to be deleted" {
		t.Errorf("the headline is %q", got)
	}
}

// replaced is the record of a machine that its owner took so long to delete.
func replaced(owner types.UID, now time.Time, took time.Duration) *v1alpha1.MachineRemediation {
	at := func(ago time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(-ago))) }
	r := &v1alpha1.MachineRemediation{}
	r.UID, r.Spec.Steps = types.UID(took.String()), []v1alpha1.RemediationStep{explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour)}
	r.Status.CompletionTime = at(time.Hour)
	r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonReplaced}}
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{
		Number: 1, Step: "replace", StartTime: at(time.Hour + took), BeganAt: at(time.Hour + took), EndTime: at(time.Hour), Result: v1alpha1.ResultSucceeded,
		ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "MachineSet", UID: owner},
	}}
	return r
}

// TestRepairOfAMachineInDeletion: it is in repair until its deletion takes long, and nobody is told to cancel what cannot be taken back.
func TestRepairOfAMachineInDeletion(t *testing.T) {
	for after, want := range map[time.Duration]string{30 * time.Second: "in repair", 2 * time.Minute: "deleting"} {
		s := explaintest.New()
		m := s.Sick("m1", 5*time.Minute)
		r := s.Record(m, explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour), explaintest.Metal()[1])
		r.Spec.TemplateRef = nil
		s.Play(r, s.Now.Add(-5*time.Minute), s.Now.Add(-after))
		build.Deleting(s.Now.Add(-after))(m)
		if after > time.Minute {
			// Of a young deletion, the record has not stored anything.
			s.Play(r, s.Now.Add(-after), s.Now)
		}
		f := s.Facts()
		if got := inSections(f.Fleet())["m1"]; got != want {
			t.Errorf("after %s it is listed under %q, want %q", after, got, want)
		}
		for _, kind := range []string{"machine", "mr"} {
			name := map[string]string{"machine": "m1", "mr": r.Name}[kind]
			p := f.Of(kind, name)[0]
			for _, row := range p.Rows {
				if row.Label == "Stop" || row.Label == "Choose" || row.Label == "Left" || strings.Contains(row.Text, "if that does not help") {
					t.Errorf("after %s the page of the %s promises what cannot be: %s: %s", after, kind, row.Label, row.Text)
				}
			}
			if rowOf(p, "Deleting") < 0 {
				t.Errorf("the page of the %s does not say what the deletion waits for", kind)
			}
		}
	}
}

// TestGateOpensWhenADeletionEnds: a gate that counts a machine in deletion opens once that is gone, if that is enough.
func TestGateOpensWhenADeletionEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		limit         string
		deleted, sick int
		want          string
	}{
		"one":                {"1", 1, 1, "when one more machine is healthy, or d0, which is being deleted, is gone, or the limit is at least 2 (40%); the time is unknown"},
		"both":               {"1", 2, 1, "when 2 more machines are healthy, or d0, d1, which are being deleted, are gone, or the limit is at least 3 (50%); the time is unknown"},
		"one of two":         {"2", 2, 1, "when one more machine is healthy, or 1 of those that are being deleted (d0, d1) is gone, or the limit is at least 3 (50%); the time is unknown"},
		"not enough":         {"1", 1, 2, "when 2 more machines are healthy, or the limit is at least 3 (50%); the time is unknown"},
		"fewer are fewer":    {"20%", 1, 1, "when one more machine is healthy, or the limit is at least 2 (40%); the time is unknown"},
		"nobody in deletion": {"0", 0, 1, "when one more machine is healthy, or the limit is at least 1 (25%); the time is unknown"},
	} {
		s := explaintest.New().AtMost(tt.limit)
		for i := range 3 {
			s.Healthy(fmt.Sprintf("h%d", i))
		}
		for i := range tt.deleted {
			s.Healthy(fmt.Sprintf("d%d", i), build.Deleting(s.Now.Add(-time.Hour)))
		}
		for i := range tt.sick {
			s.Sick(fmt.Sprintf("s%d", i), time.Hour)
		}
		if got := rowText(s.Facts().Of("machine", "s0")[0], "Opens"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestWhatADeletionHoldsUp: a slot and who waits for it, or the gate.
func TestWhatADeletionHoldsUp(t *testing.T) {
	tests := map[string]struct {
		build func(s *explaintest.Scene)
		want  string
	}{
		"the only slot":  {func(s *explaintest.Scene) { s.Annotated(mhcspec.MaxInFlightAnnotation, "1") }, "The only slot of MachineHealthCheck workers. Waiting for it: w1, w2"},
		"one of several": {func(s *explaintest.Scene) { s.Annotated(mhcspec.MaxInFlightAnnotation, "2") }, "One of the 2 slots of MachineHealthCheck workers. Waiting for it: w2"},
		"the gate":       {func(s *explaintest.Scene) { s.AtMost("2") }, "The gate of MachineHealthCheck workers, which counts it as not healthy. Waiting: w1, w2"},
		"nothing":        {func(*explaintest.Scene) {}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := explaintest.New()
			s.Healthy("old", build.Deleting(s.Now.Add(-40*time.Minute)))
			s.Sick("w1", 10*time.Minute)
			s.Sick("w2", 9*time.Minute)
			tt.build(s)
			p, got := s.Facts().Of("machine", "old")[0], ""
			if i := rowOf(p, "Holds up"); i >= 0 {
				got = p.Rows[i].Text
			}
			if got != tt.want {
				t.Errorf("it holds up %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSlotsThatDeletionsTake: who waits for a slot learns which machines in deletion take some, however young, and where to look.
func TestSlotsThatDeletionsTake(t *testing.T) {
	for slots, want := range map[string]string{
		"1": "2 of 1 in use, by new, old. Machines in deletion take 2 of them, each for an hour at most: old for 40m, new for 30s; see: sickbay explain old -n default",
		"2": "2 of 2 in use, by new, old. Machines in deletion take 2 of them, each for an hour at most: old for 40m, new for 30s; see: sickbay explain old -n default",
	} {
		s := explaintest.New().Annotated(mhcspec.MaxInFlightAnnotation, slots)
		s.Healthy("new", build.Deleting(s.Now.Add(-30*time.Second)))
		s.Healthy("old", build.Deleting(s.Now.Add(-40*time.Minute)))
		s.Sick("waits", 10*time.Minute)
		for kind, name := range map[string]string{"machine": "waits", "mhc": "workers"} {
			p := s.Facts().Of(kind, name)[0]
			i := rowOf(p, "Slots")
			if i < 0 {
				t.Fatalf("%s slots: the page of the %s has no row Slots", slots, kind)
			}
			if diff := cmp.Diff(want, p.Rows[i].Text); diff != "" {
				t.Errorf("%s slots, the page of the %s (-want +got):\n%s", slots, kind, diff)
			}
		}
	}
}

// TestMachinesThatDoNotStart: the fleet says at which stage, before and after their time is up.
func TestMachinesThatDoNotStart(t *testing.T) {
	s := explaintest.New()
	noHost := says(clusterv1.MachineInfrastructureReadyCondition, metav1.ConditionFalse, "NotReady", "Failed to find an available BareMetalHost")
	s.Machine("sick", metav1.ConditionFalse, verdict.ReasonNodeStartupTimedOut, "Node failed to start within 10m0s", time.Minute, nodeless, noHost)
	s.Machine("starts", metav1.ConditionUnknown, verdict.ReasonWaitingForNodeRef, "Waiting for Node to be created", time.Minute, nodeless, noHost)
	s.Annotated(mhcspec.DryRunAnnotation, "true")
	f := s.Facts().Fleet()
	got := map[string]string{}
	for _, item := range append(f.Waiting, f.Starting...) {
		got[item.Name] = item.Text
	}
	want := map[string]string{
		"sick":   "NOT being repaired: the MachineHealthCheck is in dry-run. InfrastructureReady is False: Failed to find an available BareMetalHost",
		"starts": "no Node for 12h. InfrastructureReady is False: Failed to find an available BareMetalHost",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRepairsOfMachinesThatDoNotStart: the stage that hangs is told beside a repair, too, and beside what a person is asked.
func TestRepairsOfMachinesThatDoNotStart(t *testing.T) {
	const stage = ". InfrastructureReady is False: Failed to find an available BareMetalHost"
	replace := explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour)
	approved := replace
	approved.Approval = v1alpha1.ApprovalRequired
	for want, step := range map[string]v1alpha1.RemediationStep{
		"SICK for 4m, replace is running":                            replace,
		"approve or deny replace: Node failed to start within 10m0s": approved,
		"held: Step ask stops the plan; a person decides":            {Name: "ask", Action: v1alpha1.ActionHold},
	} {
		s := explaintest.New()
		noHost := says(clusterv1.MachineInfrastructureReadyCondition, metav1.ConditionFalse, "NotReady", "Failed to find an available BareMetalHost")
		m := s.Machine("m1", metav1.ConditionFalse, verdict.ReasonNodeStartupTimedOut, "Node failed to start within 10m0s", 4*time.Minute, nodeless, noHost)
		s.OwnedBy(m, core, "MachineSet", "ms", silence.Facts{})
		s.Play(s.Record(m, step), s.Now.Add(-4*time.Minute), s.Now)
		f := s.Facts()
		fleet := f.Fleet()
		items := slices.Concat(fleet.NeedsYou, fleet.InRepair)
		if len(items) != 1 || items[0].Text != want+stage {
			t.Errorf("%q, want %q", items, want+stage)
		}
		for _, p := range []explain.Page{f.Page(f.Machines[0]), f.RecordPage(f.Machines[0].Record)} {
			if got := rowText(p, "Stage"); !strings.HasSuffix(got, "Failed to find an available BareMetalHost") {
				t.Errorf("the page of the %s says of the stage %q", p.Kind, got)
			}
		}
	}
}
