package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsStopped: somebody has stopped it.
func rowsStopped() []row {
	return []row{
		{
			"a pause before the first act",
			with(plan(replace()), paused),
			answer{
				Says: "Pending Paused: Cluster spec.paused is set to true",
				At:   "replace 1", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"a hold before the first act",
			with(plan(replace()), onHold),
			answer{Says: "Pending OnHold: ann holds it", At: "replace 1", Free: true, Due: "5s", Again: "5s"},
		},
		{
			"a hold that has ended since it was observed",
			with(plan(replace()), works("replace", time.Minute), unsafe(func(s *Safety) { s.OnHold, s.HoldUntil = "ann holds it", noon })),
			answer{Says: saysReplacing, At: "replace 1", Last: "replace 1 made MachineSet md-0, asked", Again: "9m0s"},
		},
		{
			"a Cluster that is being deleted before the first act",
			with(plan(replace()), terminating),
			answer{Says: "Pending Paused: The Cluster is being deleted", At: "replace 1", Free: true, Due: "5s", Again: "5s"},
		},
		{
			"a pause while the owner has not begun",
			with(plan(replace()), works("replace", time.Minute), paused),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: Cluster spec.paused is set to true",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Withdrawn: Cluster spec.paused is set to true",
			},
		},
		{
			"a hold while the owner has not begun",
			with(plan(replace()), works("replace", time.Minute), onHold),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: ann holds it",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Withdrawn: ann holds it", Again: "1h0m0s",
			},
		},
		{
			"a pause that goes on",
			with(plan(request()), works("request", time.Minute), paused,
				said(metav1.ConditionUnknown, v1alpha1.ReasonPaused, "Cluster spec.paused is set to true"), stoppedFor(time.Second)),
			answer{At: "request 1", Last: "request 1 made Fix r-1 since -1m0s, at work", Due: "23h59m0s"},
		},
		{
			"a pause before the act of an attempt",
			with(plan(reboot(), replace()), begins("replace", time.Minute), paused),
			answer{
				Says: "Pending Paused: Cluster spec.paused is set to true",
				At:   "replace 2",
				Last: "replace 1, NotBegun: Cluster spec.paused is set to true", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"a pause while a step waits",
			with(plan(wait()), begins("watch", time.Minute), paused),
			answer{
				Says: "Acting Paused: Cluster spec.paused is set to true",
				At:   "watch 1",
				Last: "watch 1 since -1m0s, at work", Due: "9m0s",
			},
		},
		{
			"a pause while a host is cycled",
			with(plan(reboot()), works("reboot", time.Minute), paused),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: Cluster spec.paused is set to true",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: Cluster spec.paused is set to true",
			},
		},
		{
			"a pause while the Node of a host that is on again gets back what it had",
			with(plan(reboot()), works("reboot", time.Minute), paused, func(f *Facts) { f.Request.HostReleased = true }),
			answer{
				Says: "Acting Paused: Cluster spec.paused is set to true",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Due: "29m0s",
			},
		},
		{
			"a pause, and a host has to be given back",
			with(plan(reboot()), works("reboot", time.Minute), over(v1alpha1.ResultAborted, "reboot"), paused, made("RebootRemediation")),
			answer{
				Says: "Acting Withdrawing: Withdrawing what is left of an attempt that is over",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: It did not help",
			},
		},
		{
			"a pause before the act that cycles a host",
			with(plan(reboot()), begins("reboot", time.Minute), paused),
			answer{
				Says: "Pending Paused: Cluster spec.paused is set to true",
				At:   "reboot 2",
				Last: "reboot 1, NotBegun: Cluster spec.paused is set to true", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"a pause, and a mark is left",
			with(plan(replace()), works("replace", time.Minute), over(v1alpha1.ResultTimedOut, ""), paused, marked),
			answer{
				Says: "Acting Withdrawing: Withdrawing what is left of an attempt that is over",
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, TimedOut: It did not help",
			},
		},
		{
			"a pause while it is held",
			with(plan(replace()), works("replace", time.Minute), over(v1alpha1.ResultTimedOut, ""), paused),
			answer{
				Says: saysNoStepLeft,
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, TimedOut: It did not help", Free: true,
			},
		},
		{
			"a pause in the probation",
			with(plan(reboot()), works("reboot", time.Hour), recovering(time.Minute), paused),
			answer{
				Says: "Probation Paused: Cluster spec.paused is set to true",
				At:   "reboot 1",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, open", Free: true,
			},
		},
		{
			"a pause in the probation of a machine that nothing was done to",
			with(plan(replace()), waits("replace", 1), recovering(time.Minute), paused),
			answer{
				Says: "Pending Paused: Cluster spec.paused is set to true",
				At:   "replace 1", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"the record is deleted under a pause, and nothing was done",
			with(plan(replace()), paused, recordIsDeleted),
			answer{Says: "Ended Ended: The MachineRemediation was deleted", Ends: "False HandedBack"},
		},
		{
			"the record is deleted under a pause while a step waits",
			with(plan(wait()), begins("watch", time.Minute), paused, recordIsDeleted),
			answer{
				Says: "Ended Ended: The MachineRemediation was deleted",
				At:   "watch 2",
				Last: "watch 1 since -1m0s, Aborted: The MachineRemediation was deleted", Ends: "False HandedBack",
			},
		},
		{
			"the record is deleted under a pause while the owner is marked",
			with(plan(replace()), works("replace", time.Minute), paused, recordIsDeleted),
			answer{
				Says: "Acting Withdrawing: The MachineRemediation was deleted",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Withdrawn: The MachineRemediation was deleted",
			},
		},
		{
			"the record is deleted with its Cluster while the owner is marked",
			with(plan(replace()), works("replace", time.Minute), terminating, recordIsDeleted),
			answer{
				Says: "Ended Ended: The MachineRemediation was deleted",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, NotBegun: The MachineRemediation was deleted", Ends: "False HandedBack",
			},
		},
		{
			"the record is deleted with its Cluster while a host is cycled",
			with(plan(reboot()), works("reboot", time.Minute), terminating, recordIsDeleted),
			answer{
				Says: "Acting Withdrawing: The MachineRemediation was deleted",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: The MachineRemediation was deleted",
			},
		},
		{
			"the machine is not selected any more, under a pause",
			with(plan(replace()), works("replace", time.Minute), paused, unmanaged),
			answer{
				Says: "Acting Withdrawing: No MachineHealthCheck selects the machine any more",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Withdrawn: No MachineHealthCheck selects the machine any more",
			},
		},
	}
}
