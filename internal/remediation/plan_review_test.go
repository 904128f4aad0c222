//go:build review

package remediation

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestReviewObserveStopsActs: the mode Observe, and a plan that is gone, stop a record before it acts, also if the cache does
// not show that yet.
func TestReviewObserveStopsActs(t *testing.T) {
	t.Parallel()
	observe := func(p *v1alpha1.MachineRemediationTemplate) { p.Spec.Template.Spec.Mode = v1alpha1.ModeObserve }
	tests := map[string]func(f *fixture, plan *v1alpha1.MachineRemediationTemplate, record *v1alpha1.MachineRemediation){
		"Observe": func(f *fixture, plan *v1alpha1.MachineRemediationTemplate, _ *v1alpha1.MachineRemediation) {
			change(f, plan, observe)
		},
		"Observe just now": func(f *fixture, plan *v1alpha1.MachineRemediationTemplate, record *v1alpha1.MachineRemediation) {
			f.freeze(record)
			change(f, plan, observe)
		},
		"Observe, and then the plan goes": func(f *fixture, plan *v1alpha1.MachineRemediationTemplate, _ *v1alpha1.MachineRemediation) {
			change(f, plan, observe)
			remove(f, plan)
		},
	}
	rows(t, tests, func(t *testing.T, stop func(*fixture, *v1alpha1.MachineRemediationTemplate, *v1alpha1.MachineRemediation)) {
		f := newFixture(t, build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan"))
		plan := f.storePlan([]v1alpha1.RemediationStep{step(v1alpha1.ActionReplace)})
		record := f.admit(f.sick("a"), follows(plan))
		stop(f, plan, record)
		f.reconcile(record)
		if got := f.standing(); len(got) > 0 {
			t.Errorf("asked for %v; the record says %q", got, f.summary(record))
		}
	})
}
