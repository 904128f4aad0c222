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
			"no step is left",
			with(plan(replace()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "")),
			answer{
				Says: saysNoStepLeft,
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
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
			"the plan says so",
			with(plan(replace(), holdStep()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "ask")),
			answer{
				Says: saysHold,
				At:   "ask 2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"the plan says so at once",
			plan(holdStep()),
			answer{Says: saysHold, At: "ask 1", Free: true},
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
			"the plan cannot be evaluated",
			with(plan(reboot(), replace()), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "reboot"), planProblem),
			answer{
				Says: "Held PlanProblem: rule x: no such key; a person decides",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"the plan cannot be evaluated at the beginning",
			with(plan(reboot(), replace()), startAt("replace", ""), planProblem),
			answer{Says: "Held PlanProblem: rule x: no such key; a person decides", At: "replace 1", Free: true},
		},
		{
			"the plan cannot be evaluated, and an attempt is at work",
			with(plan(reboot(), replace()), works("reboot", time.Minute), planProblem),
			answer{
				Says: saysRebooting,
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Due: "29m0s", Again: "29m0s",
			},
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
		{
			"it was cancelled",
			with(plan(replace()), begins("replace", time.Hour), over(v1alpha1.ResultCancelled, "")),
			answer{
				Says: "Held Cancelled: It did not help; a person decides",
				At:   "2",
				Last: "replace 1, Cancelled: It did not help", Free: true,
			},
		},
		{
			"the plan cannot be evaluated while it backs off",
			with(plan(replace()), waits("replace", 1), noSlot, dueIn(time.Minute), planProblem),
			answer{Says: "Held PlanProblem: rule x: no such key; a person decides", At: "replace 1", Free: true},
		},
	}
}
