package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsReplacing: a machine is left to its owner.
func rowsReplacing() []row {
	return []row{
		{
			"the owner has not answered",
			with(plan(replace(), holdStep()), works("replace", time.Minute)),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; step ask follows if that does not help",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "59m0s", Again: "9m0s",
			},
		},
		{
			"the owner has not answered for long",
			with(plan(replace()), works("replace", 10*time.Minute)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 has not answered for 10m0s",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Refused: MachineSet md-0 has not answered for 10m0s", Due: "5m0s", Again: "5m0s",
			},
		},
		{
			"the owner has not answered for long, and answers others",
			with(plan(replace()), works("replace", 10*time.Minute), busyOwner),
			answer{
				Says: saysReplacing,
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "50m0s", Again: "50m0s",
			},
		},
		{
			"built-in: the owner has not answered for long",
			with(builtin(replace()), works("replace", 10*time.Minute)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 has not answered for 10m0s",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Refused: MachineSet md-0 has not answered for 10m0s", Due: "5m0s", Again: "5m0s",
			},
		},
		{
			"the owner has answered nobody, and the mark is of somebody else",
			with(plan(replace()), works("replace", 10*time.Minute), func(f *Facts) { f.Machine.Mark.Ours = false }),
			answer{
				Says: "Pending Refused: MachineSet md-0 has not answered for 10m0s; it begins again later",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Refused: MachineSet md-0 has not answered for 10m0s", Free: true, Due: "5m0s", Again: "5m0s",
			},
		},
		{
			"the owner defers",
			with(plan(replace()), works("replace", time.Minute), owner(MarkDeferred, "too many at once")),
			answer{
				Says: "Acting Acting: MachineSet md-0 says: too many at once",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "59m0s",
			},
		},
		{
			"the owner has deferred, and waits again",
			with(plan(replace()), works("replace", 30*time.Minute),
				stoppedBy(byDeferral, 25*time.Minute), busyOwner),
			answer{
				Says: saysReplacing,
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "55m0s", Again: "55m0s",
			},
		},
		{
			"the owner refuses",
			with(plan(replace()), works("replace", time.Minute), owner(MarkRefused, "too few replicas")),
			answer{
				Says: "Acting Refused: MachineSet md-0 cannot remediate the machine: too few replicas",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "59m0s", Again: "1h0m0s",
			},
		},
		{
			"the owner refuses after it has deferred for long",
			with(plan(replace()), works("replace", 3*time.Hour), owner(MarkRefused, "too few replicas"), stoppedBy(byDeferral, 2*time.Hour)),
			answer{
				Says: "Acting Refused: MachineSet md-0 cannot remediate the machine: too few replicas",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "0s", Again: "1h0m0s",
			},
		},
		{
			"the owner has refused for some time, and says so in other words",
			with(plan(replace()), works("replace", time.Hour), owner(MarkRefused, "no quorum"),
				stoppedBy(byRefusal, 59*time.Minute)),
			answer{
				Says: "Acting Refused: MachineSet md-0 cannot remediate the machine: no quorum",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "0s", Again: "1m0s",
			},
		},
		{
			"the owner has refused for an hour",
			with(plan(replace(), holdStep()), works("replace", time.Hour), owner(MarkRefused, "too few replicas"),
				stoppedBy(byRefusal, time.Hour)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 cannot remediate the machine: too few replicas",
				At:   "ask 2",
				Last: "replace 1 made MachineSet md-0, Failed: MachineSet md-0 cannot remediate the machine: too few replicas",
			},
		},
		{
			"the owner is at work",
			with(plan(replace()), works("replace", time.Minute), owner(MarkAnswered, "Machine is deleting")),
			answer{
				Says: saysReplacing,
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "59m0s", Again: "9m0s",
			},
		},
		{
			"the owner has deferred for long, and is at work now",
			with(plan(replace()), works("replace", 3*time.Hour), owner(MarkAnswered, "Machine is deleting"), stoppedBy(byDeferral, 2*time.Hour)),
			answer{
				Says: saysReplacing,
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "0s", Again: "1h0m0s",
			},
		},
		{
			"the owner says for some time that it deletes the machine",
			with(plan(replace()), works("replace", 3*time.Hour), owner(MarkAnswered, "Machine is deleting"), stoppedBy(byDeletion, 59*time.Minute)),
			answer{
				Says: saysReplacing,
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "-2h0m0s", Again: "1m0s",
			},
		},
		{
			"the owner has said for an hour that it deletes the machine",
			with(plan(replace(), holdStep()), works("replace", 3*time.Hour), owner(MarkAnswered, "Machine is deleting"), stoppedBy(byDeletion, time.Hour)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 has said since 2026-06-01T11:00:00Z that it deletes the machine, but has not done so",
				At:   "ask 2",
				Last: "replace 1 made MachineSet md-0, Failed: MachineSet md-0 has said since 2026-06-01T11:00:00Z that it deletes the machine, but has not done so",
			},
		},
		{
			"built-in: the owner has said for an hour that it deletes the machine",
			with(builtin(replace()), works("replace", 3*time.Hour), owner(MarkAnswered, "Machine is deleting"), stoppedBy(byDeletion, time.Hour)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 has said since 2026-06-01T11:00:00Z that it deletes the machine, but has not done so",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Failed: MachineSet md-0 has said since 2026-06-01T11:00:00Z that it deletes the machine, but has not done so",
				Due:  "5m0s", Again: "5m0s",
			},
		},
		{
			"the owner has said for an hour that it deletes the machine, and does so at last",
			with(builtin(replace()), works("replace", 3*time.Hour), owner(MarkAnswered, "Machine is deleting"), stoppedBy(byDeletion, time.Hour), deleting(time.Second)),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; it begins again if that does not help",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "-2h0m0s", Again: "59m59s",
			},
		},
		{
			"built-in: the owner is at work",
			with(builtin(replace()), works("replace", time.Minute), owner(MarkAnswered, "Machine is deleting")),
			answer{
				Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; it begins again if that does not help",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "59m0s", Again: "9m0s",
			},
		},
		{
			"the machine is being deleted",
			with(plan(replace()), works("replace", time.Minute), deleting(time.Minute)),
			answer{
				Says: saysReplacing,
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "59m0s", Again: "59m0s",
			},
		},
		{
			"the machine has been deleted for an hour",
			with(plan(replace()), works("replace", 2*time.Hour), deleting(time.Hour)),
			answer{
				Says: "Acting DeletionOverdue: Waiting until MachineSet md-0 has replaced the machine; its deletion began at 2026-06-01T11:00:00Z and has not finished",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "-1h0m0s",
			},
		},
		{
			"the machine that nobody owns has been deleted for an hour",
			with(builtin(replace()), orphan, works("replace", 2*time.Hour), deleting(time.Hour)),
			answer{
				Says: "Acting DeletionOverdue: Waiting until the machine is deleted; its deletion began at 2026-06-01T11:00:00Z and has not finished",
				At:   "replace 1",
				Last: "replace 1 made Machine md-0-x7, at work", Due: "-1h0m0s",
			},
		},
		{
			"somebody has taken the mark away",
			with(plan(replace()), works("replace", time.Minute), func(f *Facts) { f.Machine.Mark = Mark{} }),
			answer{
				Says: "Held NoStepLeft: No step is left; the last: Somebody has taken the mark for MachineSet md-0 away; a person decides",
				At:   "2",
				Last: "replace 1 made MachineSet md-0, Failed: Somebody has taken the mark for MachineSet md-0 away", Free: true,
			},
		},
		{
			"the machine has lost its owner",
			with(plan(replace()), works("replace", time.Minute), orphan),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 does not own the machine any more",
				At:   "2",
				Last: "replace 1 made MachineSet md-0, Failed: MachineSet md-0 does not own the machine any more",
			},
		},
		{
			"the time is up",
			with(plan(replace(), holdStep()), works("replace", time.Hour), busyOwner),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: The machine is not healthy after 1h0m0s",
				At:   "ask 2",
				Last: "replace 1 made MachineSet md-0, TimedOut: The machine is not healthy after 1h0m0s",
			},
		},
		{
			"built-in: the time is up",
			with(builtin(replace()), works("replace", time.Hour), busyOwner),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: The machine is not healthy after 1h0m0s",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, TimedOut: The machine is not healthy after 1h0m0s", Due: "5m0s", Again: "5m0s",
			},
		},
		{
			"built-in: the time is up for the third time",
			with(builtin(replace()), begins("replace", 9*time.Hour), over(v1alpha1.ResultTimedOut, "replace"),
				begins("replace", 6*time.Hour), over(v1alpha1.ResultRefused, "replace"), works("replace", time.Hour), busyOwner),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: The machine is not healthy after 1h0m0s",
				At:   "replace 4",
				Last: "replace 3 made MachineSet md-0, TimedOut: The machine is not healthy after 1h0m0s", Due: "20m0s", Again: "20m0s",
			},
		},
		{
			"nobody can tell after the time is up",
			with(plan(replace()), works("replace", time.Hour), is(Undecided), busyOwner),
			answer{
				Says: "Acting Undecided: The step has timed out, and Sickbay cannot tell whether the machine is healthy",
				At:   "replace 1",
				Last: "replace 1 made MachineSet md-0, at work", Due: "0s", Again: "10m0s",
			},
		},
	}
}
