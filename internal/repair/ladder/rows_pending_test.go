package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsPending: the next attempt has not begun.
func rowsPending() []row {
	return []row{
		{
			"a slot, on a machine that nobody owns",
			with(plan(replace()), orphan),
			answer{Does: "DeleteMachine 1"},
		},
		{
			"a slot, for a power cycle",
			plan(reboot()),
			answer{Does: "CreateReboot 1"},
		},
		{
			"a slot, for a later attempt",
			with(plan(reboot(), replace()), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "reboot")),
			answer{
				Says: "Acting Acting: Step reboot, 2 of 2: waits for the power cycle of its host; step replace follows if that does not help",
				Last: "reboot 2, asked",
			},
		},
		{
			"no slot, as others come first",
			with(plan(replace()), noSlot,
				unsafe(func(s *Safety) { s.Paced = "1 of at most 1 repairs of MachineSet md-0 is not proven" })),
			answer{Says: "Pending Paced: 1 of at most 1 repairs of MachineSet md-0 is not proven", At: "replace 1", Free: true},
		},
		{
			"another system works on it while a step may wait",
			with(plan(wait()), claimed),
			answer{Says: saysWatching, Last: "watch 1 since 0s, at work", Due: "10m0s", Again: "10m0s"},
		},
		{
			"the name of its request is taken",
			with(plan(request()), nameTaken),
			answer{
				Says: "Pending HeldByOthers: Fix theirs exists already and belongs to another object",
				At:   "request 1", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"the name of a request is taken, and it makes none",
			with(plan(replace()), nameTaken),
			answer{Does: "MarkForOwner 1"},
		},
		{
			"somebody else has marked it",
			with(plan(reboot()), markedByOthers),
			answer{
				Says: "Pending HeldByOthers: The machine is marked for MachineSet md-0",
				At:   "reboot 1", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"the machine has changed",
			with(plan(replace()), unsafe(func(s *Safety) { s.Changed = true })),
			answer{Says: "Pending Backoff: The machine has changed while it was judged", At: "replace 1", Free: true, Due: "5s", Again: "5s"},
		},
		{
			"the first act has failed",
			with(plan(replace()), actFailed),
			answer{
				Says: "Pending Backoff: the webhook is down",
				At:   "replace 2",
				Last: "replace 1, NotBegun: the webhook is down", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"a rule jumps forward",
			with(plan(wait(), reboot(), replace()), jumpTo("replace")),
			answer{Says: saysReplacing, Last: "replace 1, asked"},
		},
		{
			"a rule jumps to a step that leaves it to a person",
			with(plan(replace(), holdStep()), waits("replace", 1), jumpTo("ask")),
			answer{Says: saysHold, At: "ask 1", Free: true},
		},
		{
			"a rule jumps past a step that waits for approval",
			with(plan(approvedStep(reboot()), approvedStep(replace())), waits("reboot", 1), jumpTo("replace")),
			answer{Says: "Pending ApprovalRequired: Step replace waits for a person to approve it", At: "replace 2", Free: true},
		},
		{
			"approval is asked for, and a back-off goes on",
			with(plan(approvedStep(replace())), waits("replace", 1), dueIn(time.Minute)),
			answer{Says: "Pending ApprovalRequired: Step replace waits for a person to approve it", At: "replace 1", Free: true, Due: "1m0s", Again: "1m0s"},
		},
		{
			"a rule would jump past a step that is approved",
			with(plan(approvedStep(reboot()), approvedStep(replace())), waits("reboot", 1), decides(v1alpha1.AnswerApprove, ""),
				jumpTo("replace")),
			answer{Says: saysRebooting, Last: "reboot 1 (Approve), asked"},
		},
		{
			"a rule would jump past a step whose approval outlasts an attempt that did nothing",
			with(plan(approvedStep(reboot()), replace()), begins("reboot", time.Hour), over(v1alpha1.ResultNotBegun, "reboot"),
				decided(1, v1alpha1.AnswerApprove), jumpTo("replace")),
			answer{Says: saysRebooting, Last: "reboot 2 (Approve), asked", Again: "23h0m0s"},
		},
	}
}
