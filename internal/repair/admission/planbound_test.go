package admission

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestBoundOutlivesThePlan: a plan that is deleted, or replaced by deleting and creating it, takes its brakes with it: bound of
// slots and pacing are in it, and records that wait for a slot need no plan.
func TestBoundOutlivesThePlan(t *testing.T) {
	p := plan(func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) })
	waiting := func(machine string) *v1alpha1.MachineRemediation {
		r := recordOf(machine, waitsFor(0))
		r.Spec.Steps, r.Status.Step = p.Spec.Template.Spec.Steps, "replace"
		r.Spec.TemplateRef = &v1alpha1.PlanReference{Name: p.Name, UID: p.UID, Generation: 1}
		return r
	}
	f := planned(p, sick("a"), sick("b"), sick("c")).with(waiting("a"), waiting("b"), waiting("c"))
	if d := Decide(f, now.Add(time.Second)); len(d.Admit) != 1 {
		t.Fatalf("with the plan: %v are granted a slot, want 1 by its maxInFlight", admitted(d))
	}
	f.Template = Template{Missing: "MachineRemediationTemplate plan does not exist"}
	if diff := cmp.Diff([]string(nil), admitted(Decide(f, now.Add(time.Second)))); diff != "" {
		t.Errorf("granted a slot while nobody knows the bound (-want +got):\n%s", diff)
	}
}
