package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsRetry: somebody wants it tried again.
func rowsRetry() []row {
	return []row{
		{
			"Retry of a plan that begins with a person",
			with(plan(holdStep(), replace()), waits("ask", 1), decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysReplacing, Last: "replace 1 (Retry), asked"},
		},
		{
			"Retry after Deny",
			with(plan(reboot(), replace()), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "replace"),
				func(f *Facts) {
					f.Record.Status.Attempts = append(f.Record.Status.Attempts, v1alpha1.RemediationAttempt{Number: 2, Step: "replace", EndTime: ago(0), Result: v1alpha1.ResultDenied})
					f.Record.Status.Attempt, f.Record.Status.Step = 3, ""
				}, decides(v1alpha1.AnswerRetry, "")),
			answer{Says: saysRebooting, Last: "reboot 3 (Retry), asked"},
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
				Says: "Pending Backoff: It did not help; the step begins again later",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, TimedOut: It did not help", Free: true, Due: "1m0s", Again: "1m0s",
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
				Last: "replace 2 (Retry), asked", Again: "23h0m0s",
			},
		},
	}
}
