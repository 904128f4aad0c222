package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsBackoff: the last try was in vain.
func rowsBackoff() []row {
	return []row{
		{
			"the back-off of a record that has said nothing",
			with(plan(replace()), waits("replace", 1), noSlot, dueIn(time.Second)),
			answer{
				Says: "Pending Backoff: Step replace could not be carried out; it will be tried again later",
				At:   "replace 1", Free: true, Due: "1s", Again: "1s",
			},
		},
		{
			"the back-off has an end",
			with(plan(replace()), waits("replace", 1),
				func(f *Facts) { f.Record.Spec.Grant, f.Record.Status.ReleasedGrant = 40, 39 }, gateClosed),
			answer{Says: "Pending GateClosed: 3 of 3 are not healthy", At: "replace 1", Free: true, Due: "5m35s", Again: "5m35s"},
		},
		{
			"the back-off does not double for what the caches show",
			with(plan(replace()), waits("replace", 1),
				func(f *Facts) { f.Record.Spec.Grant, f.Record.Status.ReleasedGrant = 4, 3 }, paused),
			answer{
				Says: "Pending Paused: Cluster spec.paused is set to true", At: "replace 1", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"the machine is not sick after all, as only a judgement shows",
			with(plan(replace()), waits("replace", 1),
				func(f *Facts) { f.Record.Spec.Grant, f.Record.Status.ReleasedGrant = 4, 3 }, is(Undecided), func(f *Facts) { f.Machine.Unconfirmed = true }),
			answer{Says: "Pending Undecided: " + undecidedNow, At: "replace 1", Free: true, Due: "44s", Again: "44s"},
		},
		{
			"the owner gets a rest, and the machine has another by now",
			with(builtin(replace()), works("replace", time.Hour), over(v1alpha1.ResultImpossible, "replace"), noSlot, dueIn(4*time.Minute),
				func(f *Facts) { f.Machine.Owner = otherSet() }),
			answer{
				Says: saysNoSlot,
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Impossible: It did not help", Free: true,
			},
		},
		{
			"the machine has another owner, and the record backs off for something else",
			with(builtin(replace()), works("replace", time.Hour), over(v1alpha1.ResultImpossible, "replace"), noSlot, dueIn(time.Second),
				func(f *Facts) { f.Machine.Owner = otherSet() }),
			answer{
				Says: "Pending Refused: It did not help; the step begins again later",
				At:   "replace 2",
				Last: "replace 1 made MachineSet md-0, Impossible: It did not help", Free: true, Due: "1s", Again: "1s",
			},
		},
		{
			"the back-off is over, and another system works on the machine",
			with(plan(replace()), waits("replace", 1), noSlot, claimed, dueIn(0)),
			answer{Says: "Pending HeldByOthers: NVSentinel works on the Node", At: "replace 1", Free: true},
		},
	}
}
