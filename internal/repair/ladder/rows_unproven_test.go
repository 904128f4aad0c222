package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsUnproven: the machine was healthy and is not for certain now.
func rowsUnproven() []row {
	return []row{
		{
			"sick again in the probation of an attempt",
			with(plan(reboot(), replace()), works("reboot", time.Hour), recovering(time.Minute), is(Sick)),
			answer{
				Says: "Acting Acting: The machine fell sick again in its probation; trying step reboot again",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, Failed: The machine fell sick again in its probation",
			},
		},
		{
			"sick again in the probation of the last attempt",
			with(plan(request(), holdStep()), works("request", time.Hour), recovering(time.Minute), is(Sick)),
			answer{
				Says: saysHold,
				At:   "ask 2",
				Last: "request 1 made Fix r-1 since -1h0m0s, Failed: The machine fell sick again in its probation", Free: true,
			},
		},
		{
			"sick again, and nothing was done",
			with(plan(replace()), waits("replace", 1), noSlot, recovering(time.Minute), is(Sick)),
			answer{
				Says: saysNoSlot,
				At:   "replace 1", Free: true,
			},
		},
		{
			"sick again, and it was held",
			with(plan(replace()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, ""), recovering(time.Minute), is(Sick)),
			answer{
				Says: saysNoStepLeft,
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"sick again before its request is taken back",
			with(plan(reboot()), works("reboot", time.Hour), recovering(time.Minute), is(Sick), withdrawing, requested("RebootRemediation", 1)),
			answer{
				Does: "WithdrawRequest 1",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, open", Due: "4m0s",
			},
		},
		{
			"undecided in the probation of an attempt",
			with(plan(reboot()), works("reboot", time.Minute), recovering(time.Second), is(Undecided)),
			answer{
				Says: "Probation Undecided: Waiting for the machine to be healthy again",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, open", Due: "39m0s", Again: "39m0s",
			},
		},
		{
			"undecided after the time of the step",
			with(plan(reboot()), works("reboot", 65*time.Minute), recovering(time.Minute), is(Undecided)),
			answer{
				Says: "Probation Undecided: Waiting for the machine to be healthy again",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1h5m0s, open", Due: "9m0s", Again: "9m0s",
			},
		},
		{
			"undecided for too long",
			with(plan(reboot()), works("reboot", 3*time.Hour), recovering(10*time.Minute), is(Undecided)),
			answer{
				Says: "Ended Ended: Sickbay could not prove that the repair helped: the machine was not seen healthy for long enough",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -3h0m0s, Failed: The machine was not seen healthy for long enough", Ends: "False Unproven",
			},
		},
		{
			"undecided for too long, but for a pause that was seen",
			with(plan(reboot()), works("reboot", 5*time.Hour), recovering(4*time.Hour), is(Undecided), seenPause(time.Minute)),
			answer{
				Says: "Probation Undecided: Waiting for the machine to be healthy again",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -5h0m0s, open", Due: "9m0s", Again: "9m0s",
			},
		},
		{
			"undecided for too long, but for a pause that nobody has seen",
			with(plan(reboot()), works("reboot", 5*time.Hour), recovering(4*time.Hour), is(Undecided), resumed(time.Minute)),
			answer{
				Says: "Probation Undecided: Waiting for the machine to be healthy again",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -5h0m0s, open", Due: "9m0s", Again: "9m0s",
			},
		},
		{
			"undecided in the probation of a machine that nothing was done to",
			with(plan(replace()), waits("replace", 1), noSlot, recovering(time.Minute), is(Undecided)),
			answer{
				Says: saysUndecided,
				At:   "replace 1", Free: true,
			},
		},
		{
			"deleted by somebody in its probation",
			with(plan(reboot()), works("reboot", time.Minute), recovering(time.Second), deleting(time.Second)),
			answer{
				Says: "Probation Undecided: Waiting until the machine is deleted, as somebody has asked",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, open", Due: "39m0s", Again: "39m0s",
			},
		},
	}
}
