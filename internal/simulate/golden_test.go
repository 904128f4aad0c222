package simulate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

func fails(t *testing.T, texts ...string) []Fail {
	t.Helper()
	var all []Fail
	for _, text := range texts {
		fail, err := ParseFail(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fail)
	}
	return all
}

func inZone(name string) build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.FailureDomain = name })
}

// scenes are fleets, and what happens to them.
var scenes = []struct {
	name    string
	fleet   func() *fleet
	options Options
	policy  mhcspec.Adoption
	fails   []string
	changes func(f *fleet) Changes
	// shown adds the result for programs, and the documentation.
	shown bool
}{
	{name: "all is healthy", fleet: func() *fleet { return newFleet().healthy(3) }},
	{name: "the gate closes in the middle of a storm", fleet: func() *fleet {
		f := newFleet().atMost("40%")
		f.healthy(6, inZone("a"))
		f.machine("m1", "Unknown", time.Hour, inZone("b"))
		for i := range 3 {
			f.machine(fmt.Sprintf("n%d", i+1), "True", time.Hour, inZone("b"))
		}
		return f
	}, fails: []string{"zone=b", "machine/h1"}},
	{name: "the gate closes in the middle of a repair, and opens once that has helped", fleet: func() *fleet {
		bound := func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(3)) }
		f := newFleet().atMost("40%").planned(bound, step("reboot", v1alpha1.ActionReboot, 2, 20*time.Minute)).healthy(5, inZone("a")).rebooting("m1", 4*time.Minute)
		for i := range 4 {
			f.machine(fmt.Sprintf("n%d", i+1), "True", time.Hour, inZone("b"))
		}
		return f
	}, fails: []string{"zone=b"}, shown: true},
	{name: "one slot, three sick", fleet: func() *fleet { return newFleet().annotated(mhcspec.MaxInFlightAnnotation, "1").healthy(2).sick(3) }},
	{name: "reboot twice, then replace with approval, in vain", fleet: func() *fleet { return newFleet().planned(nil, metal()...).healthy(2).sick(1) }, options: Options{World: InVain}},
	{name: "a reboot by a plan helps", fleet: func() *fleet { return newFleet().planned(nil, metal()...).healthy(2).sick(1) }},
	{name: "replaced by a plan", fleet: func() *fleet {
		return newFleet().planned(nil, step("replace", v1alpha1.ActionReplace, 1, time.Hour)).healthy(2).sick(1)
	}},
	{name: "replaced in vain", fleet: func() *fleet {
		return newFleet().planned(nil, step("replace", v1alpha1.ActionReplace, 1, time.Hour)).healthy(2).sick(1)
	}, options: Options{World: InVain}},
	{name: "owners that refuse", fleet: func() *fleet { return newFleet().annotated(mhcspec.MaxInFlightAnnotation, "1").healthy(2).sick(2) }, options: Options{World: World{Owners: OwnersRefuse}}},
	{name: "owners that never answer", fleet: func() *fleet { return newFleet().annotated(mhcspec.MaxInFlightAnnotation, "1").healthy(2).sick(2) }, options: Options{World: World{Owners: OwnersSilent}}},
	{name: "a MachinePool", fleet: func() *fleet {
		return newFleet().annotated(mhcspec.MaxInFlightAnnotation, "1").ownedBy("cluster.x-k8s.io/v1beta2", "MachinePool").healthy(2).sick(1)
	}},
	{name: "a MachinePool, by a plan that deletes its machines", fleet: func() *fleet {
		return newFleet().planned(one, deletion()).ownedBy("cluster.x-k8s.io/v1beta2", "MachinePool").healthy(2).sick(2)
	}},
	{name: "a MachineSet that is paused, by the same plan", fleet: func() *fleet { return newFleet().planned(one, deletion()).pausedSet().healthy(2).sick(1) }},
	{name: "an older MachineSet under the strategy OnDelete, by the same plan", fleet: func() *fleet { return newFleet().planned(one, deletion()).onDelete().healthy(2).sick(1) }},
	{name: "a MachineSet that is paused", fleet: func() *fleet { return newFleet().pausedSet().healthy(2).sick(1) }},
	{name: "an older MachineSet under the strategy OnDelete", fleet: func() *fleet { return newFleet().onDelete().healthy(2).sick(2) }},
	{name: "a MachineDeployment that allows no remediation", fleet: func() *fleet { return newFleet().noneInFlight().healthy(2).sick(2) }},
	{name: "the same, by a plan that holds afterwards", fleet: func() *fleet {
		return newFleet().planned(nil, step("replace", v1alpha1.ActionReplace, 1, time.Hour), step("hold", v1alpha1.ActionHold, 1, 0)).noneInFlight().healthy(2).sick(1)
	}},
	{name: "a control plane of a kind that nobody knows", fleet: func() *fleet {
		return newFleet().planned(nil, step("replace", v1alpha1.ActionReplace, 1, time.Hour)).ownedBy("controlplane.cluster.x-k8s.io/v1beta2", "OtherControlPlane").healthy(2).sick(1)
	}},
	{name: "the same, assumed to replace", fleet: func() *fleet {
		return newFleet().ownedBy("controlplane.cluster.x-k8s.io/v1beta2", "OtherControlPlane").healthy(2).sick(1)
	}, options: Options{World: World{Owners: OwnersReplace}}},
	{name: "every new machine begins with what is unhealthy", fleet: func() *fleet {
		return newFleet().machineCondition("InfrastructureReady", "False", 0).healthy(3).sick(1)
	}},
	{name: "every new machine begins with it, but not for so long", fleet: func() *fleet {
		f := newFleet().machineCondition("InfrastructureReady", "False", 5*time.Minute).healthy(3, became("InfrastructureReady", "True", 4*time.Minute)).sick(1)
		f.machine("n1", "True", 0)
		return f
	}, fails: []string{"machine/h1"}},
	{name: "all machines have what is unhealthy", fleet: func() *fleet {
		return newFleet().machineCondition("Paused", "False", time.Minute).annotated(mhcspec.MaxInFlightAnnotation, "1").
			healthy(2, became("Paused", "False", 0)).sick(1, became("Paused", "False", 0))
	}},
	{name: "power cycles that fail", fleet: func() *fleet { return newFleet().planned(nil, metal()...).healthy(2).sick(1) }, options: Options{World: World{Repairs: RepairsFail}}},
	{name: "a bad image", fleet: func() *fleet { return newFleet().healthy(2).sick(1) }, options: Options{World: World{Replacements: ReplacementsSick}, For: 40 * time.Minute}},
	{name: "replaced in vain without a plan", fleet: func() *fleet { return newFleet().healthy(2).sick(1) }, options: Options{World: InVain, For: time.Hour}},
	{name: "rebooted without a plan", fleet: func() *fleet { return newFleet().annotated(mhcspec.StrategyAnnotation, "reboot").healthy(2).sick(1) }},
	{name: "dry-run", fleet: func() *fleet { return newFleet().annotated(mhcspec.DryRunAnnotation, "true").healthy(2).sick(2) }},
	{name: "a plan that observes", fleet: func() *fleet {
		return newFleet().planned(func(p *v1alpha1.RemediationPlan) { p.Mode = v1alpha1.ModeObserve }, metal()...).healthy(2).sick(1)
	}},
	{name: "on hold until a time", fleet: func() *fleet {
		return newFleet().annotated(mhcspec.HoldUntilAnnotation, noon.Add(30*time.Minute).Format(time.RFC3339)).annotated(mhcspec.HoldReasonAnnotation, "we change the switch").healthy(2).sick(1)
	}},
	{name: "on hold in the middle of a reboot", fleet: func() *fleet {
		f := newFleet().planned(nil, step("reboot", v1alpha1.ActionReboot, 2, 20*time.Minute)).healthy(2).rebooting("m1", 4*time.Minute)
		return f.annotated(mhcspec.HoldUntilAnnotation, noon.Add(30*time.Minute).Format(time.RFC3339))
	}},
	{name: "evidence, then a request", fleet: func() *fleet {
		evidence, repair := step("evidence", v1alpha1.ActionRequest, 1, 30*time.Minute), step("repair", v1alpha1.ActionRequest, 1, time.Hour)
		evidence.DoneWhen = v1alpha1.DoneWhenRequestSucceeded
		evidence.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: "logs.example.dev/v1", Kind: "LogBundleTemplate", Name: "logs"}
		repair.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: "fix.example.dev/v1", Kind: "FixTemplate", Name: "fix"}
		return newFleet().planned(nil, evidence, repair).healthy(2).sick(1)
	}},
	{name: "nobody owns it", fleet: func() *fleet {
		f := newFleet().healthy(2).sick(1)
		f.Machines[2].OwnerReferences = nil
		return f
	}},
	{name: "nobody owns the last one, and the gate is closed", fleet: func() *fleet {
		f := newFleet().planned(nil, step("reboot", v1alpha1.ActionReboot, 1, 20*time.Minute), step("replace", v1alpha1.ActionReplace, 1, time.Hour)).rebooting("m1", 4*time.Minute)
		f.Check.Spec.Remediation.TriggerIf.UnhealthyInRange = "[2-3]"
		f.Machines[0].OwnerReferences = nil
		return f
	}, options: Options{World: World{Repairs: RepairsVain}}},
	{name: "left to Cluster API's controller", fleet: func() *fleet { return newFleet().sick(1) }, policy: mhcspec.AdoptHandedOver, changes: func(f *fleet) Changes {
		return Changes{Checks: []*clusterv1.MachineHealthCheck{f.Check}}
	}},
	{name: "paced", fleet: func() *fleet {
		return newFleet().planned(func(p *v1alpha1.RemediationPlan) {
			p.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
		}, step("reboot", v1alpha1.ActionReboot, 1, 20*time.Minute)).healthy(2).sick(4)
	}},
	{name: "a rule begins later in the plan", fleet: func() *fleet {
		return newFleet().planned(func(p *v1alpha1.RemediationPlan) {
			p.Rules = []v1alpha1.RemediationRule{{Name: "unknown", Expression: "findings.exists(f, f.status == 'Unknown')", StartAt: "reboot"}}
		}, metal()...).healthy(2).sick(1)
	}},
	{name: "paused", fleet: func() *fleet { return newFleet().annotated(clusterv1.PausedAnnotation, "").sick(2) }},
	{name: "not understood", fleet: func() *fleet { return newFleet().annotated(mhcspec.MaxInFlightAnnotation, "many").sick(1) }},
	{name: "a new health check", fleet: func() *fleet {
		f := newFleet().healthy(2).sick(1)
		f.new = true
		return f
	}, changes: func(f *fleet) Changes { return Changes{Checks: []*clusterv1.MachineHealthCheck{f.Check}} }},
	{name: "a new health check beside an older one", fleet: func() *fleet { return newFleet().healthy(2).sick(1) }, changes: func(f *fleet) Changes {
		mhc := f.Check.DeepCopy()
		mhc.Name = "other"
		return Changes{Checks: []*clusterv1.MachineHealthCheck{mhc}}
	}},
	{name: "a new health check beside an older one that is on hold for an hour", fleet: func() *fleet {
		return newFleet().annotated(mhcspec.HoldUntilAnnotation, noon.Add(time.Hour).Format(time.RFC3339)).healthy(2).sick(1)
	}, changes: func(f *fleet) Changes {
		mhc := f.Check.DeepCopy()
		mhc.Name, mhc.Annotations = "other", map[string]string{mhcspec.StrategyAnnotation: "reboot"}
		return Changes{Checks: []*clusterv1.MachineHealthCheck{mhc}}
	}},
	{name: "a new health check that finds what the older one does not, and waits for a slot", fleet: func() *fleet {
		return newFleet().annotated(clusterv1.PausedAnnotation, "").healthy(2).sick(2)
	}, changes: func(f *fleet) Changes {
		mhc := f.Check.DeepCopy()
		mhc.Name, mhc.Annotations = "other", map[string]string{mhcspec.MaxInFlightAnnotation: "1"}
		return Changes{Checks: []*clusterv1.MachineHealthCheck{mhc}}
	}},
	{name: "a new plan for a known health check", fleet: func() *fleet { return newFleet().planned(nil, metal()...).healthy(2).sick(1) }, changes: func(f *fleet) Changes {
		plan := f.Plan.DeepCopy()
		plan.Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{step("hold", v1alpha1.ActionHold, 1, 0)}
		return Changes{Plans: []*v1alpha1.MachineRemediationTemplate{plan}}
	}},
	{name: "a plan that does not exist", fleet: func() *fleet { f := newFleet().planned(nil, metal()...).sick(1); f.Plan = nil; return f }},
	{name: "a lower limit", fleet: func() *fleet { return newFleet().healthy(2).sick(2) }, changes: func(f *fleet) Changes {
		mhc := f.Check.DeepCopy()
		mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.Parse("1"))
		return Changes{Checks: []*clusterv1.MachineHealthCheck{mhc}}
	}},
	{name: "so many Nodes fail at once that their detector may be wrong", fleet: func() *fleet {
		return newFleet().annotated(mhcspec.SignalsAnnotation, "Ready: {maxShare: 40%}").healthy(5)
	}, fails: []string{"machine/h1", "machine/h2", "machine/h3"}},
	{name: "a Node fails, and its clock starts when Sickbay sees that", fleet: func() *fleet {
		return newFleet().annotated(mhcspec.SignalsAnnotation, "Ready: {clock: FirstSeen, silentAfter: 15m, flaps: 2, flapWindow: 1h}").healthy(3)
	}, fails: []string{"machine/h1"}},
	{name: "a step times out before an action helps", fleet: func() *fleet {
		return newFleet().planned(nil, step("reboot", v1alpha1.ActionReboot, 1, 5*time.Minute)).healthy(2).sick(1)
	}},
	{name: "a person asks for a power cycle of a healthy machine, and the gate is closed", fleet: func() *fleet {
		f := newFleet().atMost("0").healthy(1).sick(1)
		r := f.Record(f.Machines[0], step("reboot", v1alpha1.ActionReboot, 1, time.Hour))
		r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "ann"}
		return f
	}},
	{name: "many fail", fleet: func() *fleet {
		return newFleet().annotated(mhcspec.MaxInFlightAnnotation, "10%").atMost("50%").healthy(40)
	}, fails: []string{"25%"}},
}

// TestTimelines: the text that people read, scene by scene. Read testdata/timelines.golden as they would.
func TestTimelines(t *testing.T) {
	var b strings.Builder
	for _, one := range scenes {
		f := one.fleet()
		o := one.options
		o.Fails = fails(t, one.fails...)
		changes := Changes{}
		if one.changes != nil {
			changes = one.changes(f)
		}
		f.policy = one.policy
		result, err := f.play(o, changes)
		if err != nil {
			t.Fatalf("%s: %v", one.name, err)
		}
		fmt.Fprintf(&b, "# %s\n", one.name)
		if one.shown {
			data, err := json.MarshalIndent(result, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			docs.File(t, "testdata/result.json", string(data)+"\n")
		}
		write(&b, &result)
	}
	docs.File(t, "testdata/timelines.golden", b.String())
}

func write(b *strings.Builder, r *Result) {
	for _, text := range r.Assumptions {
		fmt.Fprintln(b, "Assumed:", text)
	}
	for _, c := range r.Checks {
		fmt.Fprintf(b, "%s %s: %s | %s | %s | %s | %s\n", c.Name, c.Change, c.Headline, c.Gate, c.Slots, c.Plan, c.Overlap)
	}
	for _, e := range r.Told() {
		slots := ""
		if e.Slots != nil {
			slots = fmt.Sprintf(" %d/%d", e.InFlight, *e.Slots)
		}
		fmt.Fprintf(b, "%s %d/%d%s %s %s\n", e.At.Format("15:04:05"), e.NotHealthy, e.Expected, slots, strings.Join(e.Machines, ","), e.What)
	}
	fmt.Fprintf(b, "%s\n\n", r.Answer())
}

// TestRefused: what cannot be played gives an error of one sentence.
func TestRefused(t *testing.T) {
	elsewhere := build.MachineHealthCheck("default", "elsewhere")
	elsewhere.Spec.ClusterName = "nowhere"
	unused := &v1alpha1.MachineRemediationTemplate{}
	unused.Namespace, unused.Name = "default", "unused"
	tests := map[string]struct {
		fail    string
		changes Changes
		want    string
	}{
		"another cluster":     {changes: Changes{Checks: []*clusterv1.MachineHealthCheck{elsewhere}}, want: `MachineHealthCheck default/elsewhere is for Cluster "nowhere", which does not exist in that namespace`},
		"a plan for nobody":   {changes: Changes{Plans: []*v1alpha1.MachineRemediationTemplate{unused}}, want: "no MachineHealthCheck in namespace default names MachineRemediationTemplate unused, so it changes nothing"},
		"a zone without one":  {fail: "zone=c", want: "no machine of these MachineHealthChecks is in failure domain c: they are in a"},
		"a machine elsewhere": {fail: "machine/x", want: "machine x does not belong to any of these MachineHealthChecks"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := Options{}
			if test.fail != "" {
				o.Fails = fails(t, test.fail)
			}
			_, err := newFleet().healthy(2, inZone("a")).play(o, test.changes)
			if err == nil || err.Error() != test.want {
				t.Errorf("error is %v, want %s", err, test.want)
			}
		})
	}
	if _, err := Suppose(&explain.Facts{Now: noon}, Changes{}, mhcspec.Policy{}); err == nil || err.Error() != "this Sickbay manages no MachineHealthCheck here" {
		t.Errorf("an empty fleet: %v", err)
	}
	for _, text := range []string{"", "zone=", "machine/", "0%", "101%", "x%", "3", "NaN%"} {
		if fail, err := ParseFail(text); err == nil {
			t.Errorf("%q fails %+v", text, fail)
		}
	}
}
