package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsAtWork: an attempt is at work.
func rowsAtWork() []row {
	return []row{
		{
			"it has not made its request yet",
			with(plan(request()), begins("request", time.Minute)),
			answer{Does: "CreateRequest 1", Last: "request 1, asked"},
		},
		{
			"it has not acted yet, and too many are in flight",
			with(plan(replace()), begins("replace", time.Minute), overBudget),
			answer{
				Says: "Pending NoSlot: 2 of at most 1 are in flight",
				At:   "replace 2",
				Last: "replace 1, NotBegun: 2 of at most 1 are in flight", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"it has waited long enough",
			with(plan(wait(), replace()), begins("watch", 10*time.Minute)),
			answer{
				Says: "Acting Acting: The machine is not healthy after 10m0s; going on with step replace",
				At:   "replace 2",
				Last: "watch 1 since -10m0s, TimedOut: The machine is not healthy after 10m0s",
			},
		},
		{
			"it has waited long enough, and nobody can tell",
			with(plan(wait(), replace()), begins("watch", 10*time.Minute), is(Undecided)),
			answer{
				Says: "Acting Undecided: The step has timed out, and Sickbay cannot tell whether the machine is healthy",
				Last: "watch 1 since -10m0s, at work", Due: "0s", Again: "10m0s",
			},
		},
		{
			"it has waited long enough, and nobody could tell for too long",
			with(plan(wait(), replace()), begins("watch", 20*time.Minute), is(Undecided)),
			answer{
				Says: "Acting Acting: Sickbay could not tell whether the machine was healthy after 10m0s; going on with step replace",
				At:   "replace 2",
				Last: "watch 1 since -20m0s, TimedOut: Sickbay could not tell whether the machine was healthy after 10m0s",
			},
		},
		{
			"a pause has ended that it saw some time ago",
			with(plan(wait()), begins("watch", 5*time.Minute), seenPause(time.Minute), resumed(time.Minute)),
			answer{Says: saysWatching, Last: "watch 1 since -5m0s, at work", Due: "5m0s", Again: "5m0s"},
		},
		{
			"a pause has ended that nobody saw",
			with(plan(wait()), begins("watch", 5*time.Minute), said(metav1.ConditionTrue, v1alpha1.ReasonActing, ""),
				resumed(time.Minute)),
			answer{Says: saysWatching, Last: "watch 1 since -5m0s, at work", Due: "9m0s", Again: "9m0s"},
		},
		{
			"a pause is said to end in the future",
			with(plan(wait()), begins("watch", 5*time.Minute), resumed(-time.Hour)),
			answer{Says: saysWatching, Last: "watch 1 since -5m0s, at work", Due: "5m0s", Again: "5m0s"},
		},
		{
			"its deadline was lost",
			with(plan(wait()), begins("watch", 5*time.Minute), func(f *Facts) { f.Record.Status.NextTransitionTime = nil }),
			answer{Says: saysWatching, Last: "watch 1 since -5m0s, at work", Due: "5m0s", Again: "5m0s"},
		},
		{
			"its deadline and its start were lost",
			with(plan(wait()), begins("watch", 5*time.Minute),
				func(f *Facts) { f.Record.Status.NextTransitionTime = nil; f.Record.Status.Attempts[0].BeganAt = nil }),
			answer{Says: saysWatching, Last: "watch 1, asked", Due: "10m0s", Again: "10m0s"},
		},
		{
			"the plan has no such step",
			with(plan(wait()), begins("watch", time.Minute), func(f *Facts) { f.Record.Status.Attempts[0].Step = "other" }),
			answer{
				Says: "Held NoStepLeft: No step is left; the last attempt: The plan has no such step; a person decides",
				At:   "2",
				Last: "other 1 since -1m0s, Failed: The plan has no such step", Free: true,
			},
		},
	}
}
