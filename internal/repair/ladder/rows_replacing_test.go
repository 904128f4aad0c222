package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsReplacing: a machine is left to its owner.
func rowsReplacing() []row {
	return []row{
		{
			"the owner has not answered for long, and nobody waits for its slot",
			with(plan(replace()), works("replace", 10*time.Minute)),
			answer{
				Says: "Acting Refused: MachineSet md-0 has not answered for 10m0s",
				Last: "replace 1 made MachineSet md-0, asked", Again: "23h50m0s",
			},
		},
		{
			"the owner has answered nobody, and the mark is of somebody else",
			with(plan(replace()), works("replace", 10*time.Minute), func(f *Facts) { f.Machine.Mark.Ours = false }, bounded),
			answer{
				Says: "Pending Backoff: MachineSet md-0 has not answered for 10m0s; the step begins again later",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, NotBegun: MachineSet md-0 has not answered for 10m0s", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"the owner defers",
			with(plan(replace()), works("replace", time.Minute), owner(MarkDeferred, "too many at once")),
			answer{
				Says: "Acting Acting: MachineSet md-0 says: too many at once",
				Last: "replace 1 made MachineSet md-0, asked", Again: "59m0s",
			},
		},
		{
			"the owner has said for an hour that it deletes the machine",
			with(plan(replace(), holdStep()), works("replace", time.Hour), owner(MarkAnswered, "Machine is deleting"), bounded),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 says that it deletes the machine, but has not done so for 1h0m0s",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Withdrawn: MachineSet md-0 says that it deletes the machine, but has not done so for 1h0m0s",
			},
		},
		{
			"the machine has been deleted for an hour",
			with(plan(replace()), replacing(time.Hour), deleting(time.Hour)),
			answer{
				Says: "Acting DeletionOverdue: Waiting until MachineSet md-0 has replaced the machine; its deletion began at 2026-06-01T11:00:00Z and has not finished",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, at work", Due: "0s",
			},
		},
		{
			"a deletion that is stored as begun may be over soon, too",
			with(builtin(replace()), replacing(time.Second), deleting(time.Second)),
			answer{
				Says: "Acting Acting: Step replace: the machine is being deleted; waits until it is gone",
				Last: "replace 1 made MachineSet md-0 since -1s, at work", Due: "59m59s", Again: "59m59s",
			},
		},
		{
			"the machine that nobody owns has been deleted for an hour",
			with(builtin(replace()), orphan, works("replace", 2*time.Hour), deleting(time.Hour)),
			answer{
				Says: "Acting DeletionOverdue: Waiting until the machine is deleted; its deletion began at 2026-06-01T11:00:00Z and has not finished",
				Last: "replace 1 made Machine md-0-x7 since -2h0m0s, at work", Due: "-1h0m0s",
			},
		},
		{
			"somebody removed the mark",
			with(plan(replace()), works("replace", time.Minute), func(f *Facts) { f.Machine.Mark = Mark{} }),
			answer{
				Says: "Held NoStepLeft: No step is left; the last attempt: Somebody removed the mark for MachineSet md-0; a person decides",
				At:   "2",
				Last: "replace 1 made MachineSet md-0, Failed: Somebody removed the mark for MachineSet md-0", Free: true,
			},
		},
		{
			"the machine has lost its owner",
			with(plan(replace()), works("replace", time.Minute), orphan),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 does not own the machine any more",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Withdrawn: MachineSet md-0 does not own the machine any more",
			},
		},
		{
			"built-in: the owner refuses for the third time, though it was not asked once",
			with(builtin(replace()), asks("replace", 9*time.Hour), over(v1alpha1.ResultImpossible, "replace"),
				begins("replace", 6*time.Hour), over(v1alpha1.ResultNotBegun, "replace"), asks("replace", 4*time.Hour), over(v1alpha1.ResultImpossible, "replace"), works("replace", time.Hour), owner(MarkRefused, "too few replicas")),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 cannot remediate the machine: too few replicas",
				At:   "replace 5",
				Last: "replace 4 made MachineSet md-0, Impossible: MachineSet md-0 cannot remediate the machine: too few replicas", Due: "20m0s", Again: "20m0s",
			},
		},
	}
}
