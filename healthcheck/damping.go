package healthcheck

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// maxCauses is how many causes of one check have a clock each. Until the check passes, all further
// causes share one clock: a check that gives a new cause each time must not progress for ever.
const maxCauses = 8

// otherCauses is the cause of that shared clock.
const otherCauses = "*"

// of reports whether p is a clock of the given check, or of the condition as a whole if check is
// empty.
func (p Progress) of(conditionType, check string) bool {
	return p.Condition == conditionType && p.Check == check
}

// comparePerCheck orders clocks by check, and those of one check by when they began.
func comparePerCheck(a, b Progress) int {
	return cmp.Or(cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Check, b.Check), a.Since.Compare(b.Since),
		cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Seen, b.Seen))
}

// dateAll sets the deadlines in the results of a condition, and returns the clocks to keep.
func dateAll[T any](clocks []Progress, c ConditionChecks[T], results []Result, now time.Time) []Progress {
	var all []Progress
	for i, check := range c.Checks {
		var kept []Progress
		results[i], kept = date(clocks, c.Type, check.Name, results[i], now)
		all = append(all, kept...)
	}
	return all
}

// date sets the deadline of one result by the clocks of its check, and returns the clocks to keep.
func date(clocks []Progress, conditionType, check string, r Result, now time.Time) (Result, []Progress) {
	if r.Status == True || r.Status == Skipped {
		return r, nil
	}
	kept := slices.DeleteFunc(slices.Clone(clocks), func(p Progress) bool { return !p.of(conditionType, check) })
	for i := range kept {
		// The clock of an earlier leader may have been ahead of ours.
		kept[i].Since = notAfter(kept[i].Since, now)
	}
	if !r.needsClock() {
		return r, kept
	}
	of := func(cause string) int {
		return slices.IndexFunc(kept, func(p Progress) bool { return p.Cause == cause })
	}
	// JSON would store anything else in another form, in which its clock is never found again.
	cause := strings.ToValidUTF8(cmp.Or(r.Cause, r.Reason), "\uFFFD")
	if of(cause) < 0 && len(kept) >= maxCauses {
		cause = otherCauses
	}
	if cause == otherCauses {
		r.Left = 0 // What is left of one cause says nothing about another.
	}
	begun, known := r.begun(now), of(cause)
	switch {
	case known < 0:
		known = len(kept)
		kept = append(kept, Progress{Condition: conditionType, Check: check, Cause: cause, Since: begun, Seen: r.Left})
	case !r.Deadline.IsZero() && begun.After(kept[known].Since):
		kept[known].Since, kept[known].Seen = begun, r.Left
	}
	return kept[known].limit(r, now), kept
}

// needsClock reports whether the result gets its deadline from a clock. One with a deadline of its own needs a clock only to tell
// whether it advances.
func (r Result) needsClock() bool {
	return r.Status == Progressing && r.Within > 0 && (r.Deadline.IsZero() || r.Left > 0)
}

// begun returns when the progress began, as far as the result knows.
func (r Result) begun(now time.Time) time.Time {
	if r.Deadline.IsZero() {
		return now.Truncate(time.Second)
	}
	return notAfter(r.Deadline.Add(-r.Within), now).Truncate(time.Second)
}

// limit sets the deadline of a result by its clock. A clock that runs out while less is left begins again. If not, the engine
// looks again later: an event need not announce that less is left.
func (p *Progress) limit(r Result, now time.Time) Result {
	limit := max(r.Within, time.Second)
	if isOver := !now.Before(p.Since.Add(limit)); isOver && r.Left < p.Seen {
		p.Since, p.Seen = now.Truncate(time.Second), r.Left
	} else if isOver && p.Seen > 0 {
		r.RecheckAt = Earliest(r.RecheckAt, now.Add(limit).Truncate(time.Second))
	}
	r.Deadline = p.Since.Add(limit)
	return r
}

// notAfter returns a stored time, or now if that is earlier.
func notAfter(since, now time.Time) time.Time {
	if since.After(now) {
		return now.Truncate(time.Second)
	}
	return since
}

// lasting returns the counts that must survive a restart. The first finding is not worth a write: most are the last, too, and a
// restart costs no more than one finding.
func lasting(counted []Progress) []Progress {
	return slices.DeleteFunc(slices.Clone(counted), func(p Progress) bool { return p.Seen < 2 })
}

// defaultDampingInterval is the default of Damping.Interval.
const defaultDampingInterval = 10 * time.Second

// Damping delays a change from True to False, or from False to True, until several findings
// in a row agree. Until then the stored condition stays as it is. It delays nothing else:
// not the first verdict, nor Unknown, nor Progressing. Registration.Progress keeps the
// count from the second finding on, so a restart loses no more than one finding.
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
		before.Since = notAfter(before.Since, now)
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
