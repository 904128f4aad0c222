package ladder

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestAwaitsApproval agrees with the rule that says so, and holds also if something else is missing.
func TestAwaitsApproval(t *testing.T) {
	twice := replace()
	twice.Approval = "Twice"
	tests := map[string]struct {
		facts Facts
		want  bool
	}{
		"just made":              {plan(approvedStep(replace())), true},
		"of a later version":     {plan(twice), true},
		"without an approval":    {plan(replace()), false},
		"at work":                {with(plan(approvedStep(replace())), works("replace", 0)), false},
		"in proof":               {with(plan(approvedStep(reboot()), replace()), works("reboot", 0), recovering(0)), false},
		"approved":               {with(plan(approvedStep(replace())), waits("replace", 1), decides(v1alpha1.AnswerApprove, "")), false},
		"denied a moment ago":    {with(plan(approvedStep(replace())), waits("replace", 1), decides(v1alpha1.AnswerDeny, "")), false},
		"no step left":           {with(plan(approvedStep(replace())), waits("", 2)), false},
		"left to a person":       {plan(approvedStep(holdStep())), false},
		"ended":                  {with(plan(approvedStep(replace())), completed), false},
		"while nobody can judge": {with(plan(approvedStep(replace())), func(f *Facts) { f.Machine.Health = Undecided }), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := AwaitsApproval(tt.facts.Record); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
