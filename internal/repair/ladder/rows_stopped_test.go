package ladder

import (
	"time"
)

// rowsStopped: somebody has stopped it.
func rowsStopped() []row {
	return []row{
		{
			"a hold before the first act",
			with(plan(replace()), onHold),
			answer{Says: "Pending OnHold: ann holds it", At: "replace 1", Free: true, Due: "5s", Again: "5s"},
		},
		{
			"a hold that has ended since it was observed",
			with(plan(replace()), works("replace", time.Minute), unsafe(func(s *Safety) { s.OnHold, s.HoldUntil = "ann holds it", noon })),
			answer{Says: saysReplacing, Last: "replace 1 made MachineSet md-0, asked", Again: "9m0s"},
		},
		{
			"a Cluster that is being deleted before the first act",
			with(plan(replace()), terminating),
			answer{Says: "Pending Paused: The Cluster is being deleted", At: "replace 1", Free: true, Due: "5s", Again: "5s"},
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
			"a pause before the act of an attempt",
			with(plan(reboot(), replace()), begins("replace", time.Minute), paused),
			answer{
				Says: "Pending Paused: Cluster spec.paused is set to true",
				At:   "replace 2",
				Last: "replace 1, NotBegun: Cluster spec.paused is set to true", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"a pause while the Node of a host that is on again gets back what it had",
			with(plan(reboot()), works("reboot", time.Minute), paused, func(f *Facts) { f.Request.HostReleased = true }),
			answer{
				Says: "Acting Paused: Cluster spec.paused is set to true",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Due: "29m0s",
			},
		},
		{
			"a pause in the probation",
			with(plan(reboot()), works("reboot", time.Hour), recovering(time.Minute), paused),
			answer{
				Says: "Probation Paused: Cluster spec.paused is set to true",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, open", Free: true,
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
	}
}
