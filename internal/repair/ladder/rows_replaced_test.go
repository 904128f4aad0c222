package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsReplaced: the machine is gone as we have asked.
func rowsReplaced() []row {
	return []row{
		{
			"built-in: that is all",
			with(builtin(replace()), works("replace", time.Minute), begun(time.Minute), goneNow),
			answer{
				Says: "Ended Ended: The machine is gone",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, Succeeded: The machine is gone", Ends: "True Replaced",
			},
		},
		{
			"no owner: that is all",
			with(plan(replace()), orphan, works("replace", time.Minute), begun(time.Minute), goneNow),
			answer{
				Says: "Ended Ended: The machine is gone",
				At:   "2",
				Last: "replace 1 made Machine md-0-x7 since -1m0s, Succeeded: The machine is gone", Ends: "True Replaced",
			},
		},
		{
			"no successor in time",
			with(plan(replace()), works("replace", 70*time.Minute), begun(70*time.Minute), goneNow),
			answer{
				Says: "Ended Ended: The machine is gone, and no healthy replacement appeared in time",
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1h10m0s, TimedOut: No healthy replacement appeared in time", Ends: "False Unproven",
			},
		},
		{
			"no successor will come",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow,
				func(f *Facts) { f.NoSuccessor = "MachineSet md-0 was scaled down" }),
			answer{
				Says: "Ended Ended: The machine is gone, and nothing replaces it: MachineSet md-0 was scaled down",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, Unneeded: MachineSet md-0 was scaled down", Ends: "False MachineDeleted",
			},
		},
		{
			"no successor in a Cluster that is being deleted",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, terminating),
			answer{
				Says: "Ended Ended: The machine is gone, and nothing replaces it: The Cluster is being deleted",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, Unneeded: The Cluster is being deleted", Ends: "False MachineDeleted",
			},
		},
		{
			"the record is deleted while it waits for a successor",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, recordIsDeleted),
			answer{
				Says: "Ended Ended: The MachineRemediation was deleted",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, Aborted: The MachineRemediation was deleted", Ends: "False HandedBack",
			},
		},
		{
			"a person cancels the wait for a successor",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, decides(v1alpha1.AnswerCancel, "")),
			answer{
				Says: "Ended Ended: The machine is gone; the remediation was cancelled",
				At:   "replace 2",
				Last: "replace 1 (Cancel) made MachineSet md-0 since -1m0s, Cancelled: Cancel by ann", Ends: "False Cancelled",
			},
		},
		{
			"a healthy successor",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow,
				successorIs(Successor{Name: "md-0-new", Health: Healthy, HealthySince: noon.Add(-time.Minute)})),
			answer{
				Says: "Probation Probation: Machine md-0-new has replaced it, is healthy and has to stay healthy",
				Last: "replace 1 made MachineSet md-0 since -1m0s, at work", Due: "59m0s", Again: "4m0s",
			},
		},
		{
			"a successor that has stayed healthy",
			with(plan(replace()), works("replace", time.Hour), begun(time.Hour), goneNow,
				successorIs(Successor{Name: "md-0-new", Health: Healthy, HealthySince: noon.Add(-5 * time.Minute)})),
			answer{
				Says: "Ended Ended: Machine md-0-new has replaced it",
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1h0m0s, Succeeded: Machine md-0-new has replaced it", Ends: "True Replaced",
			},
		},
		{
			"a successor that fell sick",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow,
				successorIs(Successor{Name: "md-0-new", Health: Sick, Record: &v1alpha1.RemediationReference{Name: "md-0-new-1"}})),
			answer{
				Says: "Ended Ended: Its successor md-0-new is sick, too",
				At:   "2",
				Last: "replace 1 made MachineSet md-0 since -1m0s, Failed: Its successor md-0-new is sick, too", Ends: "False ReplacementFailed",
			},
		},
		{
			"a wait for a successor until a hold ends",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, onHold),
			answer{
				Says: "Acting OnHold: ann holds it",
				Last: "replace 1 made MachineSet md-0 since -1m0s, at work", Due: "59m0s", Again: "1h0m0s",
			},
		},
		{
			"a healthy successor, and nobody knows since when",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, successorIs(Successor{Name: "md-0-new", Health: Healthy})),
			answer{
				Says: "Acting WaitingForReplacement: Waiting for its replacement md-0-new to be healthy",
				Last: "replace 1 made MachineSet md-0 since -1m0s, at work", Due: "59m0s", Again: "1h9m0s",
			},
		},
		{
			"a successor that was healthy",
			with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, successorIs(Successor{Name: "md-0-new", Health: Undecided, HealthySince: noon.Add(-time.Hour)})),
			answer{
				Says: "Acting WaitingForReplacement: Waiting for its replacement md-0-new to be healthy",
				Last: "replace 1 made MachineSet md-0 since -1m0s, at work", Due: "59m0s", Again: "1h9m0s",
			},
		},
	}
}
