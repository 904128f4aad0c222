package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsRecovered: the machine is healthy.
func rowsRecovered() []row {
	return []row{
		{"healthy while its Node had time to come back", with(plan(replace()), waits("replace", 1), noSlot, hostWasKept, hasHost, is(Healthy)), answer{
			Says: saysProbation, At: "replace 1", Free: true, Due: "5m0s", Again: "5m0s",
		}},
		{
			"healthy while the owner is marked",
			with(plan(replace()), works("replace", time.Minute), is(Healthy)),
			answer{
				Says: "Acting Withdrawing: The machine is healthy; withdrawing what was asked for",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Withdrawn: The machine has recovered",
			},
		},
		{
			"healthy while evidence is collected",
			with(plan(collect(), replace()), works("collect", time.Minute), is(Healthy)),
			answer{
				Says: saysProbation,
				At:   "collect 2",
				Last: "collect 1 made Fix r-1 since -1m0s, Unneeded: The machine has recovered", Free: true, Due: "5m0s", Again: "5m0s",
			},
		},
		{
			"healthy, and its request is being taken back",
			with(plan(reboot()), works("reboot", time.Minute), recovering(time.Second), withdrawing, requested("RebootRemediation", 1)),
			answer{
				Does: "WithdrawRequest 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, open", Due: "4m59s",
			},
		},
		{
			"healthy for long enough, and only evidence was collected",
			with(plan(collect(), replace()), works("collect", time.Hour), over(v1alpha1.ResultSucceeded, "replace"),
				recovering(300*time.Second)),
			answer{
				Says: "Ended Ended: The machine is healthy, and nothing was done",
				At:   "replace 2",
				Last: "collect 1 made Fix r-1 since -1h0m0s, Succeeded: It did not help", Ends: "True RecoveredUnaided",
			},
		},
		{
			"healthy for long enough after Cancel",
			with(plan(replace()), works("replace", time.Hour), over(v1alpha1.ResultCancelled, ""), recovering(300*time.Second)),
			answer{
				Says: "Ended Ended: The machine is healthy; the remediation was cancelled",
				At:   "2",
				Last: "replace 1 made MachineSet md-0, Cancelled: It did not help", Ends: "False Cancelled",
			},
		},
		{
			"healthy after a power cycle that is over",
			with(plan(reboot()), works("reboot", time.Minute), requestSays("True", ""), is(Healthy)),
			answer{
				Says: saysProbation,
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, open", Due: "5m0s", Again: "5m0s",
			},
		},
		{
			"healthy for long enough",
			with(plan(reboot()), works("reboot", time.Hour), recovering(300*time.Second)),
			answer{
				Says: "Ended Ended: The machine is healthy",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, Succeeded: The machine is healthy", Ends: "True Recovered",
			},
		},
	}
}
