package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsTakeOver: what has begun before the record says so.
func rowsTakeOver() []row {
	return []row{
		{
			"the first act has marked the machine",
			with(plan(replace()), marked),
			answer{Says: saysReplacing, At: "replace 1", Last: "replace 1 made MachineSet md-0, asked"},
		},
		{
			"somebody else has marked the machine, and we would",
			with(builtin(replace()), markedByOthers),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; it begins again if that does not help",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, asked",
			},
		},
		{
			"somebody else has marked the machine, and we have no slot",
			with(builtin(replace()), noSlot, markedByOthers),
			answer{
				Says: saysNoSlot,
				At:   "replace 1", Free: true,
			},
		},
		{
			"the first act has deleted the machine that nobody owns",
			with(plan(replace()), orphan, deleting(time.Second)),
			answer{
				Says: "Acting Acting: Step replace: waits until the machine is deleted; a person decides if that does not help",
				At:   "replace 1",
				Last: "replace 1 made Machine md-0-x7 since -1s, at work", Due: "59m59s",
			},
		},
		{
			"somebody has deleted the machine that nobody owns, and we have no slot",
			with(plan(replace()), orphan, noSlot, deleting(time.Second)),
			answer{Says: "Pending HeldByOthers: Somebody has deleted the machine", At: "replace 1", Free: true},
		},
		{
			"somebody has deleted the machine before its owner was asked",
			with(plan(replace()), deleting(time.Second)),
			answer{
				Says: "Pending HeldByOthers: Somebody has deleted the machine",
				At:   "replace 1", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"the machine that nobody owns is gone, and was to be deleted",
			with(builtin(replace()), goneNow),
			answer{
				Says: "Acting Acting: Step replace: waits until the machine is deleted; it begins again if that does not help",
				At:   "replace 1",
				Last: "replace 1 made Machine md-0-x7 since 0s, at work", Due: "1h0m0s",
			},
		},
		{
			"the first act has made a request",
			with(plan(request()), requested("Fix", 1)),
			answer{
				Says: "Acting Acting: Step request: waits for Fix r-1; a person decides if that does not help",
				At:   "request 1",
				Last: "request 1 made Fix r-1 since 0s, at work", Due: "24h0m0s",
			},
		},
		{
			"an answer was lost, and the slot given back",
			with(plan(replace()), waits("replace", 1), noSlot, marked),
			answer{Says: saysReplacing, At: "replace 1", Last: "replace 1 made MachineSet md-0, asked", Free: true},
		},
		{
			"the act of a later attempt is to be seen",
			with(plan(reboot(), replace()), begins("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "replace"),
				begins("replace", time.Minute), marked),
			answer{Says: saysReplacing, At: "replace 2", Last: "replace 2 made MachineSet md-0, asked", Again: "9m0s"},
		},
	}
}
