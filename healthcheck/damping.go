package healthcheck

import (
	"cmp"
	"slices"
	"time"
)

// defaultDampingInterval is how far apart findings have to be that are counted, if
// the Damping does not say.
const defaultDampingInterval = 10 * time.Second

// Damping has a condition turn from True to False, or from False to True, only after
// that was found several times in a row. Until then the stored condition stays as it
// is. Everything else is not held up: the first verdict, Unknown, and Progressing.
// What was counted is kept in Registration.Progress, and outlives the process.
type Damping struct {
	// Failures is how often False has to be found. The default is 1: it turns at once.
	Failures int
	// Successes is how often True has to be found. The default is 1.
	Successes int
	// Interval is how far apart findings have to be that are counted; the object is
	// looked at again after it. The default is 10 seconds. Less than a second counts as one.
	Interval time.Duration
}

// damp returns the result as it is to be stored, and what has been counted, if that
// is to be kept.
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
