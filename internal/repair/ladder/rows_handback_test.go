package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsHandBack: the machine is handed back.
func rowsHandBack() []row {
	return []row{
		{
			"a person asks for something else, and nothing was done",
			with(plan(replace()), unsafe(func(s *Safety) { s.Superseded = Cause{What: AskedInstead, Name: "x", Detail: "ann"} })),
			answer{Says: "Ended Ended: MachineRemediation x is what ann asked for instead", Ends: "False Superseded"},
		},
		{
			"another MachineHealthCheck leads, and nothing was done",
			with(plan(replace()), otherLeads),
			answer{Says: "Ended Ended: MachineHealthCheck b repairs it", Ends: "False HandedOver"},
		},
		{
			"another one leads, and nobody has begun what was asked for",
			with(plan(replace()), asks("replace", time.Minute), marked, otherLeads),
			answer{Says: "Acting Withdrawing: MachineHealthCheck b repairs it", At: "replace 2", Last: "replace 1 made MachineSet md-0, Withdrawn: MachineHealthCheck b repairs it"},
		},
		{
			"another one leads, and a person has decided",
			with(plan(replace()), decides(v1alpha1.AnswerDeny, ""), otherLeads),
			answer{Says: "Held Denied: Deny by ann; a person decides", At: "2", Last: "replace 1 (Deny), Denied: Deny by ann", Free: true},
		},
		{
			"another one leads, and the power cycle has begun",
			with(plan(reboot()), works("reboot", time.Minute), otherLeads),
			answer{
				Says: "Acting Acting: Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Due: "29m0s", Again: "29m0s",
			},
		},
		{
			"not selected any more, and the mark is left",
			with(plan(replace()), works("replace", time.Minute), over(v1alpha1.ResultWithdrawn, "replace"), unmanaged,
				said(metav1.ConditionTrue, v1alpha1.ReasonWithdrawing, "No MachineHealthCheck selects the machine any more"), marked),
			answer{Does: "WithdrawMark 1", At: "replace 2", Last: "replace 1 made MachineSet md-0, Withdrawn: It did not help"},
		},
		{
			"not selected any more, in its probation",
			with(plan(reboot()), works("reboot", time.Hour), recovering(time.Minute), unmanaged),
			answer{
				Says: "Ended Ended: No MachineHealthCheck selects the machine any more",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, Aborted: No MachineHealthCheck selects the machine any more", Ends: "False HandedBack",
			},
		},
		{
			"the record is deleted, and a request stands",
			with(plan(request()), works("request", time.Minute), recordIsDeleted),
			answer{
				Says: "Acting Withdrawing: The MachineRemediation was deleted",
				At:   "request 2",
				Last: "request 1 made Fix r-1 since -1m0s, Aborted: The MachineRemediation was deleted",
			},
		},
		{
			"the record is deleted, and evidence stands",
			with(plan(collect()), works("collect", time.Minute), recordIsDeleted),
			answer{
				Says: "Ended Ended: The MachineRemediation was deleted",
				At:   "collect 2",
				Last: "collect 1 made Fix r-1 since -1m0s, Aborted: The MachineRemediation was deleted", Ends: "False HandedBack",
			},
		},
	}
}
