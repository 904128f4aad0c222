package simulate

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// anyFleet draws a fleet in which some machines are sick or about to be.
func anyFleet(t *rapid.T) *fleet {
	f := newFleet()
	slots := rapid.SampledFrom([]string{"", "1", "2", "30%"}).Draw(t, "slots")
	if limit := rapid.SampledFrom([]string{"", "0", "2", "40%", "100%"}).Draw(t, "limit"); limit != "" {
		f.atMost(limit)
	}
	if rapid.Bool().Draw(t, "has a plan") {
		f.planned(func(p *v1alpha1.RemediationPlan) { drawPlan(t, p, slots) }, anySteps(t)...)
	} else {
		if slots != "" {
			f.annotated(mhcspec.MaxInFlightAnnotation, slots)
		}
		if rapid.Bool().Draw(t, "reboots") {
			f.annotated(mhcspec.StrategyAnnotation, "reboot")
		}
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "machines") {
		ready := rapid.SampledFrom([]corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionUnknown}).Draw(t, "Ready")
		since := time.Duration(rapid.IntRange(0, 20).Draw(t, "since")) * time.Minute
		f.machine(fmt.Sprintf("m%02d", i), ready, since, inZone(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone")))
	}
	return f
}

func drawPlan(t *rapid.T, p *v1alpha1.RemediationPlan, slots string) {
	if slots != "" {
		p.MaxInFlight = new(intstr.Parse(slots))
	}
	if rapid.Bool().Draw(t, "is paced") {
		p.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainFailureDomain}}
	}
	p.Mode = rapid.SampledFrom([]v1alpha1.PlanMode{v1alpha1.ModeAct, v1alpha1.ModeAct, v1alpha1.ModeApprove, v1alpha1.ModeObserve}).Draw(t, "mode")
}

func anySteps(t *rapid.T) []v1alpha1.RemediationStep {
	all := []v1alpha1.RemediationStep{}
	for i, action := range rapid.SliceOfN(rapid.SampledFrom([]v1alpha1.Action{
		v1alpha1.ActionWait, v1alpha1.ActionReboot, v1alpha1.ActionReplace, v1alpha1.ActionHold,
	}), 1, 3).Draw(t, "actions") {
		all = append(all, step(fmt.Sprintf("step-%d", i), action, int32(rapid.IntRange(1, 2).Draw(t, "attempts")), 20*time.Minute))
	}
	return all
}

func anyWorld(t *rapid.T) World {
	var w World
	for _, text := range rapid.SliceOf(rapid.SampledFrom(Answers())).Draw(t, "assumed") {
		if err := w.Assume(text); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func anyOptions(t *rapid.T) Options {
	o := Options{For: 6 * time.Hour, RepairTakes: 10 * time.Minute, World: anyWorld(t)}
	if share := rapid.SampledFrom([]string{"", "30%", "100%"}).Draw(t, "fail"); share != "" {
		fail, err := ParseFail(share)
		if err != nil {
			t.Fatal(err)
		}
		o.Fails = []Fail{fail}
	}
	return o
}

func playFacts(t *rapid.T, facts *explain.Facts, o Options) Result {
	s, err := Suppose(facts, Changes{}, mhcspec.Policy{Adopt: mhcspec.AdoptAll})
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Play(o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestBounds: in all cases, the slots are not exceeded, no machine is admitted while the gate is closed, and the numbers add up.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFleet(t)
		result := playFacts(t, f.facts(), anyOptions(t))
		limit := f.Check.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo
		for _, e := range result.Timeline {
			if e.Slots != nil && e.InFlight > *e.Slots {
				t.Errorf("%d of %d slots are in use: %+v", e.InFlight, *e.Slots, e)
			}
			if e.Kind != KindAdmitted || limit == nil {
				continue
			}
			if most, err := intstr.GetScaledValueFromIntOrPercent(limit, e.Expected, false); err != nil || e.NotHealthy > most {
				t.Errorf("admitted although %d of %d are not healthy, and %s may be (%v)", e.NotHealthy, e.Expected, limit, err)
			}
		}
		sum := result.Summary
		all := sum.Healthy + sum.Replaced + sum.InRepair
		for _, held := range sum.HeldBack {
			all += len(held.Machines)
		}
		if all != sum.Sick || sum.Repaired > sum.Sick || sum.Unfinished != "" {
			t.Errorf("the summary does not add up: %+v", sum)
		}
	})
}

// TestSameFactsGiveTheSameTimeline: playing does not change them.
func TestSameFactsGiveTheSameTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFleet(t)
		facts, o := f.facts(), anyOptions(t)
		before := dump(t, f)
		first, second := playFacts(t, facts, o), playFacts(t, facts, o)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("it goes otherwise the second time (-first +second):\n%s", diff)
		}
		if diff := cmp.Diff(before, dump(t, f)); diff != "" {
			t.Errorf("playing changes what was observed (-before +after):\n%s", diff)
		}
	})
}

func dump(t *rapid.T, f *fleet) string {
	data, err := json.MarshalIndent([]any{f.Cluster, f.Check, f.Plan, f.Machines, f.Nodes}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestAgreesWithExplain: the machines admitted at the first moment are exactly those that explain says are admitted now.
func TestAgreesWithExplain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := anyFleet(t).facts()
		said, played := map[string]bool{}, map[string]bool{}
		for _, one := range facts.Next() {
			if one.At.Equal(noon) && strings.HasPrefix(one.What, "goes into repair") {
				said[one.Name] = true
			}
		}
		for _, e := range playFacts(t, facts, Options{For: time.Minute, RepairTakes: time.Hour}).Timeline {
			for _, name := range e.Machines {
				played[name] = played[name] || (e.At.Equal(noon) && e.Kind == KindAdmitted)
			}
		}
		maps.DeleteFunc(played, func(_ string, admitted bool) bool { return !admitted })
		if diff := cmp.Diff(said, played); diff != "" {
			t.Errorf("who is admitted now (-explain +simulate):\n%s", diff)
		}
	})
}
