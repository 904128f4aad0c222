package healthcheck

import "time"

// keptResult is the last result of a check with an Interval. It is used in place of the check until it ends.
type keptResult struct {
	condition, check string
	// result is as the check returned it, without a deadline that the engine counts.
	result Result
	// until is when it ends, and the check is run again. Zero means that there is no result.
	until time.Time
	// reused says that it is from an earlier run, and the check was not run in this one.
	reused bool
}

// recall returns for each check of a condition its last result, if that has not ended. Nil means that no check has an Interval.
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

// isRecalled reports whether the last result of the i-th check is used, so that it need not be run.
func isRecalled(last []keptResult, i int) bool { return last != nil && last[i].reused }

// remember adds the results of the checks that were run just now. They end after the Interval; keepResults ends them earlier.
func (r run[T]) remember(c ConditionChecks[T], last []keptResult, results []Result, errs []error) {
	for i := range last {
		if check := c.Checks[i]; check.Interval > 0 && errs[i] == nil && !last[i].reused {
			last[i] = keptResult{condition: c.Type, check: check.Name, result: results[i], until: r.in.Now.Add(check.Interval)}
		}
	}
}

// keepResults returns the results to keep, and when the first of them ends. New ones end before their interval if something
// else is due: see shorten. While Damping holds a condition up, they end when the next finding counts: the check has to be run
// for that. Results are those with their deadlines, found is what they were merged to, and out is that after Damping.
func (r run[T]) keepResults(c ConditionChecks[T], last []keptResult, results []Result, found Result, out outcome) (kept []keptResult, due time.Time) {
	for i, k := range last {
		if k.until.IsZero() {
			continue
		}
		if !k.reused {
			k.shorten(r.in.Now, results[i], found)
			// Nobody knows of which results a conclusion is made.
			if out.isStored && (c.Conclude != nil || results[i].At(r.in.Now).Status == found.Status) {
				k.endAt(r.in.Now, out.result.RecheckAt)
			}
		}
		due, k.reused = Earliest(due, k.until), false
		// One that breaks the rules is not kept, but its check is run again after the interval.
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

// endAt ends the result at a moment, if that is yet to come and before its end.
func (k *keptResult) endAt(now, moment time.Time) {
	if moment.After(now) {
		k.until = Earliest(k.until, moment)
	}
}
