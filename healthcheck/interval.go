package healthcheck

import (
	"math"
	"time"
)

// forever is how long a result lasts that only an event can change.
const forever = time.Duration(math.MaxInt64)

// keptResult is the last result of a check. It replaces runs of the check until it ends: all of them if the check has an
// Interval, and otherwise those on a timer, when some other result is due.
type keptResult struct {
	condition, check string
	// result is what the check returned, without a deadline that the engine computed.
	result Result
	// until is when the result ends and the check runs again. Zero means that there is no result.
	until time.Time
	// due is when the engine must look because the result ends. It is zero if only an event ends it.
	due time.Time
	// reused says that the result is from an earlier run, and the check did not run in this one.
	reused bool
}

// recall returns the last result of each check of a condition, if it replaces a run of the check.
func (r run[T]) recall(c ConditionChecks[T]) []keptResult {
	last := make([]keptResult, len(c.Checks))
	for i, check := range c.Checks {
		for _, k := range r.kept {
			if k.condition == c.Type && k.check == check.Name && r.in.Now.Before(k.until) && (r.timer || check.Interval > 0) {
				last[i], last[i].reused = k, true
			}
		}
	}
	return last
}

// remember adds the results of the checks that just ran. They end after the Interval, or else when the check must be asked
// although nothing has happened; keepResults may end them earlier.
func (r run[T]) remember(c ConditionChecks[T], last []keptResult, results []Result, errs []error) {
	for i, check := range c.Checks {
		if errs[i] != nil || last[i].reused {
			continue
		}
		k := &last[i]
		*k = keptResult{condition: c.Type, check: check.Name, result: results[i], until: r.in.Now.Add(forever)}
		if check.Interval > 0 {
			k.endAt(r.in.Now, r.in.Now.Add(r.pace.Of(check.Interval)))
		} else if poll := r.poll(check, results[i].Status); poll < forever {
			k.endAt(r.in.Now, r.in.Now.Add(r.spread(poll)))
		}
	}
}

// spread returns how long a period is in this run. All of a run are longer by the same factor, so that checks that are due
// together stay so; each run has another one, so that objects that were looked at together are not for ever.
func (r run[T]) spread(period time.Duration) time.Duration {
	return r.pace.Of(time.Duration(float64(period) * r.factor))
}

// keepResults returns the results to keep, and when the first of them ends. New results end before their interval if something
// else is due: see shorten. While Damping delays a change, all results end when the next finding counts, because the check must
// run for that. Results has the deadlines, found is the merged result, and out is the outcome after Damping.
func (r run[T]) keepResults(c ConditionChecks[T], last []keptResult, results []Result, found Result, out outcome) (kept []keptResult, due time.Time) {
	for i, k := range last {
		if k.until.IsZero() {
			continue
		}
		if !k.reused {
			k.shorten(r.in.Now, results[i], found)
		}
		// It is unknown which results a conclusion depends on.
		if out.isStored && (c.Conclude != nil || results[i].At(r.in.Now).Status == found.Status) {
			k.endAt(r.in.Now, out.result.RecheckAt)
		}
		due, k.reused = Earliest(due, k.due), false
		// A result that breaks the rules is not kept, but its check runs again after the interval.
		if results[i].Status.Valid() && (results[i].Status != Progressing || !results[i].Deadline.IsZero()) {
			kept = append(kept, k)
		}
	}
	return kept, due
}

// shorten ends a new result when it changes by itself: at its RecheckAt, or at a deadline.
func (k *keptResult) shorten(now time.Time, r, found Result) {
	k.endAt(now, r.RecheckAt)
	if r.Status == Progressing {
		k.endAt(now, r.Deadline)
		if found.Status == Progressing {
			k.endAt(now, found.Deadline)
		}
	}
}

// endAt ends the result at a moment, if that is in the future and before its end.
func (k *keptResult) endAt(now, moment time.Time) {
	if moment.After(now) {
		k.until, k.due = Earliest(k.until, moment), Earliest(k.due, moment)
	}
}
