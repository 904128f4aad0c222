package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsGone: the machine is gone.
func rowsGone() []row {
	return []row{
		{
			"gone, and a request stands",
			with(plan(request()), works("request", time.Minute), goneNow),
			answer{
				Says: "Acting Withdrawing: The machine is gone; withdrawing what was asked for",
				At:   "request 2",
				Last: "request 1 made Fix r-1 since -1m0s, Unneeded: The machine is gone",
			},
		},
		{
			"gone, and that request is on its way out",
			with(plan(request()), works("request", time.Minute), over(v1alpha1.ResultUnneeded, ""), goneNow, made("Fix"),
				func(f *Facts) { f.Request.Deleting = true }),
			answer{
				Says: "Acting Withdrawing: Waiting until Fix r-1 is gone",
				At:   "2",
				Last: "request 1 made Fix r-1 since -1m0s, Unneeded: It did not help", Again: "30s",
			},
		},
		{
			"gone in its probation",
			with(plan(reboot()), works("reboot", time.Hour), recovering(time.Minute), goneNow),
			answer{
				Says: "Ended Ended: The machine is gone, but not because of this remediation",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, Unneeded: The machine is gone", Ends: "False MachineDeleted",
			},
		},
		{
			"gone while it is held",
			with(plan(replace()), works("replace", time.Hour), over(v1alpha1.ResultFailed, ""), goneNow),
			answer{
				Says: "Ended Ended: The machine is gone",
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, Failed: It did not help", Ends: "False MachineDeleted",
			},
		},
		{
			"gone after Cancel",
			with(plan(replace()), works("replace", time.Hour), over(v1alpha1.ResultCancelled, ""), goneNow),
			answer{
				Says: "Ended Ended: The machine is gone; the remediation was cancelled",
				At:   "2",
				Last: "replace 1 made MachineSet md-0, Cancelled: It did not help", Ends: "False Cancelled",
			},
		},
		{
			"gone, and a person cancels",
			with(plan(replace()), waits("replace", 1), decides(v1alpha1.AnswerCancel, ""), goneNow),
			answer{
				Says: "Ended Ended: The machine is gone; the remediation was cancelled",
				At:   "replace 1", Ends: "False Cancelled",
			},
		},
	}
}
