package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsPeople: a person decides.
func rowsPeople() []row {
	return []row{
		{
			"Cancel while the owner is marked",
			with(plan(replace()), works("replace", time.Minute), decides(v1alpha1.AnswerCancel, "")),
			answer{
				Says: "Acting Withdrawing: Cancel by ann",
				At:   "2",
				Last: "replace 1 (Cancel) made MachineSet md-0, Cancelled: Cancel by ann",
			},
		},
		{
			"Cancel while the owner deletes the machine",
			with(plan(replace()), replacing(time.Minute), decides(v1alpha1.AnswerCancel, "")),
			answer{
				Says:  "Held Cancelled: Cancel by ann; a person decides",
				At:    "2",
				Last:  "replace 1 (Cancel) made MachineSet md-0 since -1m0s, Cancelled: Cancel by ann",
				Again: "59m0s",
			},
		},
		{
			"Cancel while the machine is deleted",
			with(plan(deletion()), owned, deleted(time.Minute), decides(v1alpha1.AnswerCancel, "")),
			answer{
				Says:  "Held Cancelled: Cancel by ann; a person decides",
				At:    "2",
				Last:  "delete 1 (Cancel) made MachineSet md-0 since -1m0s, Cancelled: Cancel by ann",
				Again: "59m0s",
			},
		},
		{
			"Cancel while a deletion of ours hangs",
			with(plan(deletion()), owned, deleted(DeletionTime), decides(v1alpha1.AnswerCancel, "")),
			answer{
				Says: "Held Cancelled: Cancel by ann; a person decides",
				At:   "2",
				Last: "delete 1 (Cancel) made MachineSet md-0 since -1h0m0s, Cancelled: Cancel by ann",
				Free: true,
			},
		},
		{
			"Cancel in the probation",
			with(plan(reboot()), works("reboot", time.Hour), recovering(time.Minute), decides(v1alpha1.AnswerCancel, "")),
			answer{
				Says: saysProbation,
				At:   "2",
				Last: "reboot 1 (Cancel) made RebootRemediation r-1 since -1h0m0s, Cancelled: Cancel by ann", Due: "4m0s", Again: "4m0s",
			},
		},
		{
			"Cancel of a record that never had a step",
			with(plan(replace()), startAt("", "All was tried"), decides(v1alpha1.AnswerCancel, "")),
			answer{
				Says: "Held Cancelled: Cancel by ann; a person decides",
				At:   "2",
				Last: "replace 1 (Cancel), Cancelled: Cancel by ann", Free: true,
			},
		},
		{
			"Deny before the first act",
			with(plan(replace()), decides(v1alpha1.AnswerDeny, ""), func(f *Facts) { f.Record.Spec.Decision.Reason = "it holds data" }),
			answer{
				Says: "Held Denied: Deny by ann: it holds data; a person decides",
				At:   "2",
				Last: "replace 1 (Deny), Denied: Deny by ann: it holds data", Free: true,
			},
		},
		{
			"Deny of a step that waits for approval",
			with(plan(reboot(), approvedStep(replace())), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "replace"),
				decides(v1alpha1.AnswerDeny, "")),
			answer{
				Says: "Held Denied: Deny by ann; a person decides",
				At:   "3",
				Last: "replace 2 (Deny), Denied: Deny by ann", Free: true,
			},
		},
		{
			"Deny in the probation",
			with(plan(replace()), waits("replace", 1), recovering(time.Minute), decides(v1alpha1.AnswerDeny, "")),
			answer{Says: saysProbation, At: "replace 1", Free: true, Due: "4m0s", Again: "4m0s"},
		},
		{
			"approval is missing",
			plan(approvedStep(replace())),
			answer{Says: "Pending ApprovalRequired: Step replace waits for a person to approve it", At: "replace 1", Free: true},
		},
		{
			"Approve with a slot",
			with(plan(approvedStep(replace())), waits("replace", 1), decides(v1alpha1.AnswerApprove, "")),
			answer{Says: saysReplacing, Last: "replace 1 (Approve), asked"},
		},
		{
			"the second attempt wants its own approval",
			with(plan(approvedStep(reboot())), works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "reboot")),
			answer{
				Says: "Pending ApprovalRequired: Step reboot waits for a person to approve it",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"an approval does not outlast an attempt that has acted",
			with(plan(approvedStep(reboot())), works("reboot", time.Hour), over(v1alpha1.ResultAborted, "reboot"),
				decided(1, v1alpha1.AnswerApprove)),
			answer{
				Says: "Pending ApprovalRequired: Step reboot waits for a person to approve it",
				At:   "reboot 2",
				Last: "reboot 1 (Approve) made RebootRemediation r-1 since -1h0m0s, Aborted: It did not help", Free: true,
			},
		},
	}
}
