package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestClocks: a transition in the future is told, and whether it counts.
func TestClocks(t *testing.T) {
	for name, tt := range map[string]struct {
		ahead time.Duration
		want  string
	}{
		"right":       {-time.Minute, ""},
		"a bit ahead": {30 * time.Second, "Node condition Ready has a transition in the future, at 12:00:30 UTC (in 30s): some clock is wrong"},
		"hours ahead": {2 * time.Hour, "Node condition Ready has a transition in the future, at 14:00:00 UTC (in 120m): some clock is wrong, and Sickbay disregards this time"},
	} {
		s := explaintest.New()
		s.Node("m1", corev1.ConditionUnknown, -tt.ahead)
		s.Machine("m1", metav1.ConditionUnknown, verdict.ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout", time.Minute)
		f := s.Facts()
		if got := rowText(f.Page(f.Machines[0]), "Clock"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestOthersVerdictsAreTheirs: Sickbay foretells no verdict that another controller gives, or nobody.
func TestOthersVerdictsAreTheirs(t *testing.T) {
	for name, tt := range map[string]struct {
		foreign bool
		option  build.MachineOption
		want    string
	}{
		"ours":               {false, build.InCluster("cluster"), "12:02:00 UTC: is sick: Node condition Ready is Unknown for more than 5m0s"},
		"another controller": {true, build.InCluster("cluster"), "Nothing is scheduled"},
		"skipped":            {false, build.Annotation(clusterv1.MachineSkipRemediationAnnotation, ""), "Nothing is scheduled"},
	} {
		s := explaintest.New()
		s.Foreign = tt.foreign
		s.Node("m1", corev1.ConditionUnknown, 3*time.Minute)
		s.Machine("m1", metav1.ConditionUnknown, verdict.ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout", 3*time.Minute, tt.option)
		f := s.Facts()
		if got := rowText(f.Page(f.Machines[0]), "Next"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestWhatAPersonAskedFor: the page says who asked and why. Whatever the machine's health, that goes on until somebody takes it back; a host that is
// kept off comes on if somebody asks for that.
func TestWhatAPersonAskedFor(t *testing.T) {
	for until, want := range map[v1alpha1.Step][2]string{
		"": {"HEALTHY for 10h, reboot is running", "You cancel it: then the repair ends"},
		v1alpha1.StepPowerOff: {
			"HEALTHY for 10h, its host is kept off, as alice has asked",
			"Somebody annotates the Machine with reboot.metal3.io/PowerOn: then its host is switched on; you cancel it: then the repair ends",
		},
	} {
		s := explaintest.New()
		step := explaintest.Step("reboot", v1alpha1.ActionReboot, 1, time.Hour)
		step.Until = until
		r := s.Record(s.Healthy("m1"), step)
		r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "alice", Reason: "new DIMMs"}
		s.Play(r, s.Now.Add(-time.Minute), s.Now)
		f := s.Facts()
		f.Machines[0].Record.Reboot = &v1alpha1.RebootRemediation{}
		if until != "" {
			f.Machines[0].Record.Reboot.Status.Phase = v1alpha1.Holding
		}
		page := f.Page(f.Machines[0])
		if diff := cmp.Diff([3]string{want[0], "alice: new DIMMs", want[1]}, [3]string{page.Headline, rowText(page, "Asked by"), rowText(page, "Unless")}); diff != "" {
			t.Errorf("until %q (-want +got):\n%s", until, diff)
		}
	}
}

// TestAskedForAndNotBegun: what somebody asks for is told among the repairs, with or without a health check, and no selector counts for it. Who waits for a
// host that a person wants off is told what lets it on.
func TestAskedForAndNotBegun(t *testing.T) {
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Name: "rack2-u7"}}
	host.Status.Provisioning.State = metal3v1.StateProvisioned
	for name, unselected := range map[string]bool{"selected": false, "not selected": true} {
		s := explaintest.New()
		r := s.Record(s.Healthy("m1"), explaintest.Step("reboot", v1alpha1.ActionReboot, 1, time.Hour))
		r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "alice"}
		r.Status = v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationPending, Conditions: []metav1.Condition{{
			Type: v1alpha1.ConditionProgressing, Reason: v1alpha1.ReasonRemediationHeldByOthers, Message: cycle.KeptBy(host, false),
		}}}
		f := s.Facts()
		if unselected {
			f.Machines[0].Check = nil
		}
		want := "Somebody sets spec.online: true on BareMetalHost rack2-u7: then the repair goes on; you cancel it: then the repair ends"
		if diff := cmp.Diff(want, rowText(f.Page(f.Machines[0]), "Unless")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		fleet := f.Fleet()
		told := []explain.Item{{Kind: "Machine", Namespace: "default", Cluster: s.Cluster.Name, Name: "m1", Text: "asked for by alice: Somebody wants the host rack2-u7 off (spec.online)"}}
		if diff := cmp.Diff(told, fleet.InRepair); diff != "" || len(fleet.Waiting) > 0 {
			t.Errorf("%s: waiting %v, in repair (-want +got):\n%s", name, fleet.Waiting, diff)
		}
	}
}

// TestAskedForIsInRepair: a power cycle that somebody asked for is at work whether or not a MachineHealthCheck selects the machine.
func TestAskedForIsInRepair(t *testing.T) {
	s := explaintest.New()
	r := s.Record(s.Healthy("m1"), explaintest.Step("reboot", v1alpha1.ActionReboot, 1, time.Hour))
	r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "alice"}
	s.Play(r, s.Now.Add(-time.Minute), s.Now)
	f := s.Facts()
	f.Machines[0].Check = nil
	if got := f.Machines[0].State(s.Now); got != explain.StateInRepair {
		t.Errorf("it is %s", got)
	}
}

// TestOnlyWhatCanRecover: nobody is told to wait for a recovery that cannot come: a failure for good is never cleared, and a request stands until
// somebody takes it back.
func TestOnlyWhatCanRecover(t *testing.T) {
	failed := build.MachineFunc(func(m *clusterv1.Machine) {
		//nolint:staticcheck // Cluster API says so nowhere else than in deprecated fields.
		m.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: &clusterv1.MachineV1Beta1DeprecatedStatus{FailureMessage: new("no capacity")}}
	})
	asked := build.Annotation(clusterv1.RemediateMachineAnnotation, "")
	replace := explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour)
	repaired := func(s *explaintest.Scene, steps ...v1alpha1.RemediationStep) {
		s.OwnedBy(s.Machines[0], core, "MachineSet", "ms", silence.Facts{})
		s.Play(s.Record(s.Machines[0], steps...), s.Now.Add(-10*time.Minute), s.Now)
	}
	for name, tt := range map[string]struct {
		option build.MachineOption
		repair func(s *explaintest.Scene)
		want   string
	}{
		"it can":                        {build.InCluster("cluster"), nil, "The machine recovers by itself: then it is not repaired"},
		"it has failed":                 {failed, nil, ""},
		"somebody asked":                {asked, nil, "Somebody removes the annotation cluster.x-k8s.io/remediate-machine: then it is not repaired"},
		"it has failed, in repair":      {failed, func(s *explaintest.Scene) { repaired(s, replace) }, "You cancel it: then nothing more is tried unless somebody retries"},
		"it has failed, and a person":   {failed, func(s *explaintest.Scene) { repaired(s, explaintest.Metal()[0]) }, "You retry it: then the repair goes on when a slot is free; the machine is gone: then the repair ends"},
		"somebody asked, and in repair": {asked, func(s *explaintest.Scene) { repaired(s, replace) }, "Somebody removes the annotation cluster.x-k8s.io/remediate-machine: then its probation begins, and nothing more is done; you cancel it: then nothing more is tried unless somebody retries"},
	} {
		s := explaintest.New()
		s.Sick("m1", time.Hour, tt.option)
		if tt.repair != nil {
			tt.repair(s)
		}
		f := s.Facts()
		page := f.Page(f.Machines[0])
		if got := rowText(page, "Unless"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if got := strings.Join(page.Otherwise, "; "); strings.HasPrefix(name, "it has failed") && strings.Contains(got, "ecover") {
			t.Errorf("%s: programs read %q", name, got)
		}
	}
}
