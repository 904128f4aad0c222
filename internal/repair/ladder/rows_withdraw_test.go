package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsWithdraw: something is left of an attempt that is over.
func rowsWithdraw() []row {
	return []row{
		{
			"a mark is left, and the owner says that it follows it",
			with(plan(replace()), works("replace", time.Minute), over(v1alpha1.ResultTimedOut, ""), marked,
				owner(MarkAnswered, ""), endedBefore(30*time.Second), withdrawing),
			answer{
				Says: "Acting Withdrawing: MachineSet md-0 says that it deletes the machine; the mark is withdrawn if it does not",
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, TimedOut: It did not help", Again: "30s",
			},
		},
		{
			"a request is left that could not be deleted",
			with(plan(request()), works("request", time.Minute), over(v1alpha1.ResultTimedOut, ""), made("Fix"),
				func(f *Facts) { f.Safety.Stuck = "a webhook says no" }, withdrawing),
			answer{
				Says: "Acting Withdrawing: Could not withdraw what was asked for: a webhook says no",
				At:   "2",
				Last: "request 1 made Fix r-1 since -1m0s, TimedOut: It did not help",
			},
		},
		{
			"evidence of an attempt before the latest is left",
			with(plan(collect(), wait(), replace()), works("collect", time.Hour), over(v1alpha1.ResultSucceeded, "watch"),
				begins("watch", time.Minute), requested("LogBundle", 1)),
			answer{
				Says: "Acting Acting: Step watch: waits for the machine to recover by itself; step replace follows if that does not help",
				Last: "watch 2 since -1m0s, at work", Due: "9m0s", Again: "9m0s",
			},
		},
		{
			"the act of an attempt that was given up has come late",
			with(plan(reboot(), replace()), begins("reboot", time.Minute), over(v1alpha1.ResultNotBegun, "reboot"),
				requested("RebootRemediation", 1)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what is left of an attempt that is over",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1, NotBegun: It did not help",
			},
		},
		{
			"a mark has come late while a step waits",
			with(plan(replace(), wait()), begins("replace", time.Hour), over(v1alpha1.ResultNotBegun, "watch"),
				begins("watch", time.Minute), marked),
			answer{Does: "WithdrawMark 2", Last: "watch 2 since -1m0s, at work", Due: "9m0s"},
		},
		{
			"a request has come late while the owner is marked",
			with(plan(reboot(), replace()), begins("reboot", time.Hour), over(v1alpha1.ResultNotBegun, "replace"),
				works("replace", time.Minute), requested("RebootRemediation", 1)),
			answer{Does: "WithdrawRequest 2", Last: "replace 2 made MachineSet md-0, asked"},
		},
	}
}
