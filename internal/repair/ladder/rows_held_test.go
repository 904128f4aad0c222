package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsHeld: a person must decide.
func rowsHeld() []row {
	return []row{
		{
			"what a person asked for is done",
			with(askedFor(Healthy), works("reboot", time.Minute), over(v1alpha1.ResultSucceeded, "")),
			answer{Says: "Ended Ended: It did not help", At: "2", Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Succeeded: It did not help", Ends: "True Done"},
		},
		{
			"what a person asked for has failed",
			with(askedFor(Healthy), works("reboot", time.Minute), over(v1alpha1.ResultFailed, "")),
			answer{Says: "Ended Ended: It did not help", At: "2", Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Failed: It did not help", Ends: "False NotDone"},
		},
		{
			"a relapse leaves no step",
			with(plan(replace()), startAt("", "All steps were tried on Monday")),
			answer{
				Says: "Held NoStepLeft: No step is left: All steps were tried on Monday; a person decides",
				At:   "1", Free: true,
			},
		},
		{
			"the plan has no steps at all",
			plan(),
			answer{Says: "Held NoStepLeft: No step is left; a person decides", At: "1", Free: true},
		},
		{
			"the plan has an action of a later version",
			plan(v1alpha1.RemediationStep{Name: "drain", Action: "Drain"}),
			answer{
				Says: "Held PlanProblem: Step drain has the action Drain, which this version of Sickbay does not know; a person decides",
				At:   "drain 1", Free: true,
			},
		},
		{
			"the plan cannot be evaluated at the beginning",
			with(plan(reboot(), replace()), startAt("replace", ""), planProblem),
			answer{Says: "Held PlanProblem: rule x: no such key; a person decides", At: "replace 1", Free: true},
		},
		{
			"it was denied",
			with(plan(replace()), begins("replace", time.Hour), over(v1alpha1.ResultDenied, "")),
			answer{
				Says: "Held Denied: It did not help; a person decides",
				At:   "2",
				Last: "replace 1, Denied: It did not help", Free: true,
			},
		},
	}
}
