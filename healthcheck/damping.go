package healthcheck

import (
	"cmp"
	"slices"
	"time"
)

// defaultDampingInterval is the default of Damping.Interval.
const defaultDampingInterval = 10 * time.Second

// Damping delays a change from True to False, or from False to True, until several findings
// in a row agree. Until then the stored condition stays as it is. It delays nothing else:
// not the first verdict, nor Unknown, nor Progressing. Registration.Progress keeps the
// count, so it survives a restart.
type Damping struct {
	// Failures is how many findings in a row must be False. The default is 1: the condition
	// changes at once.
	Failures int
	// Successes is how many findings in a row must be True. The default is 1.
	Successes int
	// Interval is the least time between two findings that both count; the engine looks at
	// the object again after it. The default is 10 seconds, the minimum one second.
	Interval time.Duration
}

// damp returns the result to store, and the count as a clock if it must be kept.
func (d Damping) damp(clocks []Progress, conditionType string, current *Condition, r Result, now time.Time) (Result, []Progress) {
	if current == nil {
		return r, nil
	}
	wanted := 1
	switch {
	case current.Status == True && r.Status == False:
		wanted = d.Failures
	case current.Status == False && r.Status == True:
		wanted = d.Successes
	}
	counted := Progress{Condition: conditionType, Cause: string(r.Status), Since: now.Truncate(time.Second), Seen: 1}
	interval := max(cmp.Or(d.Interval, defaultDampingInterval), time.Second)
	if i := slices.IndexFunc(clocks, func(p Progress) bool { return p.of(conditionType, "") && p.Cause == counted.Cause }); i >= 0 {
		before := clocks[i]
		if now.Before(before.Since.Add(interval)) {
			counted.Since, counted.Seen = before.Since, before.Seen
		} else {
			counted.Seen = before.Seen + 1
		}
	}
	if counted.Seen >= wanted {
		return r, nil
	}
	return Result{
		Status: current.Status, Reason: current.Reason, Message: current.Message, Codes: current.Codes,
		RecheckAt: Earliest(r.NextChange(), counted.Since.Add(interval)),
	}, []Progress{counted}
}
