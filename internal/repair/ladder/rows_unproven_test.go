package ladder

import (
	"time"
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
			"undecided for too long",
			with(plan(reboot()), works("reboot", 3*time.Hour), recovering(10*time.Minute), is(Undecided)),
			answer{
				Says: "Ended Ended: Sickbay could not prove that the repair helped: the machine was not seen healthy for long enough",
				Last: "reboot 1 made RebootRemediation r-1 since -3h0m0s, Failed: The machine was not seen healthy for long enough", Ends: "False Unproven",
			},
		},
		{
			"undecided for too long, but for a pause that nobody has seen",
			with(plan(reboot()), works("reboot", 5*time.Hour), recovering(4*time.Hour), is(Undecided), resumed(time.Minute)),
			answer{
				Says: "Probation Undecided: Waiting for the machine to be healthy again",
				Last: "reboot 1 made RebootRemediation r-1 since -5h0m0s, open", Due: "9m0s", Again: "9m0s",
			},
		},
		{
			"deleted by somebody in its probation",
			with(plan(reboot()), works("reboot", time.Minute), recovering(time.Second), deleting(time.Second)),
			answer{
				Says: "Probation Undecided: Waiting until the machine is deleted, as somebody has asked",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, open", Due: "39m0s", Again: "39m0s",
			},
		},
	}
}
