package ladder

import (
	"time"
)

// rowsTakeOver: what has begun before the record says so.
func rowsTakeOver() []row {
	return []row{
		{
			"somebody else has marked the machine, and we would",
			with(builtin(replace()), markedByOthers),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; the machine stays marked until it does",
				Last: "replace 1 made MachineSet md-0, asked",
			},
		},
		{
			"the same, and others wait for the slot",
			with(builtin(replace()), markedByOthers, bounded),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; the step begins again if that does not help",
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
				Says: saysDeleting,
				Last: "replace 1 made Machine md-0-x7 since -1s, at work", Due: "59m59s",
			},
		},
		{
			"the machine that nobody owns is gone, and was to be deleted",
			with(builtin(replace()), goneNow),
			answer{
				Says: "Acting Acting: Step replace: waits until the machine is deleted; the step begins again if that does not help",
				Last: "replace 1 made Machine md-0-x7 since 0s, at work", Due: "1h0m0s",
			},
		},
		{
			"the first act has made a request",
			with(plan(request()), requested("Fix", 1)),
			answer{
				Says: "Acting Acting: Step request: waits for Fix r-1; a person decides if that does not help",
				Last: "request 1 made Fix r-1 since 0s, at work", Due: "24h0m0s",
			},
		},
		{
			"an answer was lost, and the slot given back",
			with(plan(replace()), waits("replace", 1), noSlot, marked),
			answer{Says: saysReplacing, Last: "replace 1 made MachineSet md-0, asked", Free: true},
		},
	}
}
