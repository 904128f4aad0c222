package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsRetry: somebody wants it tried again.
func rowsRetry() []row {
	return []row{
		{
			"Retry of the last step that was tried",
			with(plan(reboot(), replace()), works("reboot", 3*time.Hour), over(v1alpha1.ResultTimedOut, "replace"),
				works("replace", 2*time.Hour), over(v1alpha1.ResultTimedOut, ""), decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysReplacing, At: "replace 3", Last: "replace 3 (Retry), asked"},
		},
		{
			"Retry without a slot",
			with(plan(reboot(), replace()), works("replace", 2*time.Hour), over(v1alpha1.ResultTimedOut, ""), noSlot,
				decides(v1alpha1.AnswerRetry, "")),
			answer{
				Says: saysNoSlot,
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -2h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"Retry of another step",
			with(plan(reboot(), replace()), works("replace", 2*time.Hour), over(v1alpha1.ResultTimedOut, ""),
				decides(v1alpha1.AnswerRetry, "reboot")),
			answer{Says: saysRebooting, At: "reboot 2", Last: "reboot 2 (Retry), asked"},
		},
		{
			"Retry of a step that leaves the machine to a person",
			with(plan(replace(), holdStep()), works("replace", 2*time.Hour), over(v1alpha1.ResultTimedOut, "ask"),
				decides(v1alpha1.AnswerRetry, "ask")),
			answer{
				Says: saysHold,
				At:   "ask 2",
				Last: "replace 1 made MachineSet md-0 since -2h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"Retry approves",
			with(plan(approvedStep(replace())), works("replace", 2*time.Hour), over(v1alpha1.ResultTimedOut, ""),
				decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysReplacing, At: "replace 2", Last: "replace 2 (Retry), asked"},
		},
		{
			"Retry of a record in which nothing was tried",
			with(plan(reboot(), replace()), startAt("", "All was tried"), decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysRebooting, At: "reboot 1", Last: "reboot 1 (Retry), asked"},
		},
		{
			"Retry of a record that was left to a person from the start",
			with(plan(reboot(), replace(), holdStep()), startAt("ask", "Continues after an earlier remediation"), waits("ask", 1), decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysRebooting, At: "reboot 1", Last: "reboot 1 (Retry), asked"},
		},
		{
			"Retry of a plan that begins with a person",
			with(plan(holdStep(), replace()), waits("ask", 1), decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysReplacing, At: "replace 1", Last: "replace 1 (Retry), asked"},
		},
		{
			"Retry of a record that begins in the middle",
			with(plan(reboot(), replace(), holdStep()), startAt("replace", ""), waits("replace", 1), decides(v1alpha1.AnswerRetry, "")),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; step ask follows if that does not help",
				At:   "replace 1",
				Last: "replace 1 (Retry), asked",
			},
		},
		{
			"Retry after Deny",
			with(plan(reboot(), replace()), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "replace"),
				func(f *Facts) {
					f.Record.Status.Attempts = append(f.Record.Status.Attempts, v1alpha1.RemediationAttempt{Number: 2, Step: "replace", EndTime: ago(0), Result: v1alpha1.ResultDenied})
					f.Record.Status.Attempt, f.Record.Status.Step = 3, ""
				}, decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysRebooting, At: "reboot 3", Last: "reboot 3 (Retry), asked"},
		},
		{
			"Retry cuts a back-off short",
			with(builtin(replace()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "replace"), noSlot,
				decides(v1alpha1.AnswerRetry, ""), dueIn(time.Hour), func(f *Facts) { f.Record.Status.ObservedGeneration = 1 }),
			answer{
				Says: saysNoSlot,
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"Retry cuts a back-off short only once",
			with(builtin(replace()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "replace"), noSlot,
				decides(v1alpha1.AnswerRetry, ""), dueIn(time.Minute), func(f *Facts) { f.Record.Status.ObservedGeneration = 2 }),
			answer{
				Says: "Pending Backoff: It did not help; it begins again later",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true, Due: "1m0s", Again: "1m0s",
			},
		},
		{
			"Retry comes before the rules of the plan",
			with(plan(reboot(), replace()), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "reboot"),
				decides(v1alpha1.AnswerRetry, ""), jumpTo("replace")),
			answer{Says: saysRebooting, At: "reboot 2", Last: "reboot 2 (Retry), asked"},
		},
		{
			"Retry of a plan that cannot be evaluated",
			with(plan(reboot(), replace()), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "reboot"),
				decides(v1alpha1.AnswerRetry, ""), planProblem),
			answer{Says: saysRebooting, At: "reboot 2", Last: "reboot 2 (Retry), asked"},
		},
		{
			"Retry of an attempt at work",
			with(plan(reboot(), replace()), works("reboot", time.Minute), decides(v1alpha1.AnswerRetry, "replace")),
			answer{
				Says: saysRebooting,
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Due: "29m0s", Again: "29m0s",
			},
		},
		{
			"the fresh attempts of a Retry",
			with(plan(reboot()), works("reboot", 5*time.Hour), over(v1alpha1.ResultTimedOut, "reboot"),
				works("reboot", 4*time.Hour), over(v1alpha1.ResultTimedOut, "reboot"), works("reboot", 30*time.Minute), decided(3, v1alpha1.AnswerRetry)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: The machine is not healthy after 30m0s",
				At:   "reboot 4",
				Last: "reboot 3 (Retry) made RebootRemediation r-3 since -30m0s, TimedOut: The machine is not healthy after 30m0s",
			},
		},
		{
			"remediate-machine while it waits for a slot",
			with(plan(reboot(), replace()), waits("reboot", 1), noSlot, remediateAsked),
			answer{
				Says: saysNoSlot,
				At:   "replace 1", Free: true,
			},
		},
		{
			"remediate-machine while it is held",
			with(plan(reboot(), approvedStep(replace()), holdStep()), works("reboot", time.Hour),
				over(v1alpha1.ResultTimedOut, "ask"), remediateAsked),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; step ask follows if that does not help",
				At:   "replace 2",
				Last: "replace 2 (Retry), asked",
			},
		},
		{
			"remediate-machine while an attempt is at work",
			with(plan(reboot(), replace()), works("reboot", time.Minute), remediateAsked),
			answer{
				Says: saysRebooting,
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Due: "29m0s", Again: "29m0s",
			},
		},
		{
			"remediate-machine was followed already",
			with(plan(reboot(), replace()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, ""), remediateAsked,
				decided(1, v1alpha1.AnswerRetry), annotationAnswered),
			answer{
				Says: saysNoStepLeft,
				At:   "2",
				Last: "replace 1 (Retry) made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"remediate-machine is why the machine was admitted",
			with(plan(reboot(), replace()), waits("reboot", 1), noSlot, remediateAsked,
				func(f *Facts) { f.Record.Spec.Finding.Reason = "HasRemediateMachineAnnotation" }),
			answer{Says: "Pending NoSlot: Step reboot waits for a slot of MachineHealthCheck workers", At: "reboot 1", Free: true},
		},
		{
			"remediate-machine after Cancel",
			with(plan(replace()), begins("replace", time.Hour), over(v1alpha1.ResultCancelled, ""), remediateAsked),
			answer{
				Says: "Held Cancelled: It did not help; a person decides",
				At:   "2",
				Last: "replace 1, Cancelled: It did not help", Free: true,
			},
		},
		{
			"remediate-machine, and the plan has no such step",
			with(builtin(reboot()), waits("reboot", 1), noSlot, remediateAsked),
			answer{
				Says: "Pending NoSlot: Step reboot waits for a slot of MachineHealthCheck workers. The annotation cluster.x-k8s.io/remediate-machine asks for a Replace, which the plan does not have",
				At:   "reboot 1", Free: true,
			},
		},
		{
			"Retry is made up for if nobody began its attempt",
			with(plan(reboot(), approvedStep(replace()), holdStep()), begins("replace", time.Hour), over(v1alpha1.ResultNotBegun, "replace"),
				decided(1, v1alpha1.AnswerRetry), planProblem, jumpTo("ask")),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; step ask follows if that does not help",
				At:   "replace 2",
				Last: "replace 2 (Retry), asked", Again: "23h0m0s",
			},
		},
		{
			"Retry is not made up for once its attempt has acted",
			with(plan(reboot(), approvedStep(replace()), holdStep()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "ask"),
				decided(1, v1alpha1.AnswerRetry)),
			answer{
				Says: saysHold,
				At:   "ask 2",
				Last: "replace 1 (Retry) made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
		},
	}
}
