package healthcheck

import "time"

// keptResult is the last result of a check with an Interval. It replaces runs of the check until it ends.
type keptResult struct {
	condition, check string
	// result is what the check returned, without a deadline that the engine computed.
	result Result
	// until is when the result ends and the check runs again. Zero means that there is no result.
	until time.Time
	// reused says that the result is from an earlier run, and the check did not run in this one.
	reused bool
}

// recall returns the last result of each check of a condition, if it has not ended. Nil means that no check has an Interval.
func (r run[T]) recall(c ConditionChecks[T]) []keptResult {
	var last []keptResult
	for i, check := range c.Checks {
		if check.Interval <= 0 {
			continue
		}
		if last == nil {
			last = make([]keptResult, len(c.Checks))
		}
		for _, k := range r.kept {
			if k.condition == c.Type && k.check == check.Name && r.in.Now.Before(k.until) {
				last[i], last[i].reused = k, true
			}
		}
	}
	return last
}

// isRecalled reports whether the i-th check reuses its last result, so that it need not run.
func isRecalled(last []keptResult, i int) bool { return last != nil && last[i].reused }

// remember adds the results of the checks that just ran. They end after the Interval; keepResults may end them earlier.
func (r run[T]) remember(c ConditionChecks[T], last []keptResult, results []Result, errs []error) {
	for i := range last {
		if check := c.Checks[i]; check.Interval > 0 && errs[i] == nil && !last[i].reused {
			last[i] = keptResult{condition: c.Type, check: check.Name, result: results[i], until: r.in.Now.Add(check.Interval)}
		}
	}
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
		due, k.reused = Earliest(due, k.until), false
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
		k.until = Earliest(k.until, moment)
	}
}
