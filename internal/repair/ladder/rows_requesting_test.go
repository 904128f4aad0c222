package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsRequesting: a request stands.
func rowsRequesting() []row {
	return []row{
		{
			"another object has its name",
			with(plan(request(), replace()), works("request", time.Minute), func(f *Facts) { f.Request.OperationID = "" }),
			answer{
				Says: "Acting Acting: Somebody has deleted Fix r-1; going on with step replace",
				At:   "replace 2",
				Last: "request 1 made Fix r-1 since -1m0s, Failed: Somebody has deleted Fix r-1",
			},
		},
		{
			"it has failed",
			with(plan(request(), replace()), works("request", time.Minute), requestSays("False", "no luck")),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: Fix r-1 has failed: no luck",
				At:   "replace 2",
				Last: "request 1 made Fix r-1 since -1m0s, Failed: Fix r-1 has failed: no luck",
			},
		},
		{
			"its time is up",
			with(plan(request(), replace()), works("request", 24*time.Hour)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: The machine is not healthy after 24h0m0s",
				At:   "replace 2",
				Last: "request 1 made Fix r-1 since -24h0m0s, TimedOut: The machine is not healthy after 24h0m0s",
			},
		},
		{
			"built-in: it says that it has failed",
			with(builtin(request()), works("request", time.Minute), requestSays("False", "not yet")),
			answer{
				Says: "Acting Acting: Step request: waits for Fix r-1; a person decides if that does not help",
				Last: "request 1 made Fix r-1 since -1m0s, at work", Due: "23h59m0s", Again: "23h59m0s",
			},
		},
		{
			"evidence is there",
			with(plan(collect(), replace()), works("collect", time.Minute), requestSays("True", "")),
			answer{
				Says: "Acting Acting: Fix r-1 has succeeded; going on with step replace",
				At:   "replace 2",
				Last: "collect 1 made Fix r-1 since -1m0s, Succeeded: Fix r-1 has succeeded",
			},
		},
		{
			"evidence is there, and was wanted twice",
			with(plan(func() v1alpha1.RemediationStep { s := collect(); s.Attempts = 3; return s }(), wait()),
				works("collect", time.Minute), requestSays("True", "")),
			answer{
				Says: "Acting Acting: Fix r-1 has succeeded; going on with step watch",
				At:   "watch 2",
				Last: "collect 1 made Fix r-1 since -1m0s, Succeeded: Fix r-1 has succeeded",
			},
		},
		{
			"evidence cannot be collected",
			with(plan(collect(), replace()), works("collect", time.Minute), requestSays("False", "no room")),
			answer{
				Says: "Acting Acting: Fix r-1 has failed: no room; going on with step replace",
				At:   "replace 2",
				Last: "collect 1 made Fix r-1 since -1m0s, Failed: Fix r-1 has failed: no room",
			},
		},
		{
			"evidence is not there in time",
			with(plan(collect(), replace()), works("collect", 15*time.Minute)),
			answer{
				Says: "Acting Acting: Fix r-1 has not succeeded after 15m0s; going on with step replace",
				At:   "replace 2",
				Last: "collect 1 made Fix r-1 since -15m0s, TimedOut: Fix r-1 has not succeeded after 15m0s",
			},
		},
	}
}
