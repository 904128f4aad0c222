package healthcheck

import (
	"cmp"
	"slices"
	"time"
)

// maxCauses is how many causes of one check have clocks of their own. Those that come on
// top of them, while the check has never passed, share one: nothing goes on for ever by
// having a new cause each time.
const maxCauses = 8

// otherCauses stands for these.
const otherCauses = "*"

// of reports whether p is a clock of a check, or of the condition as a whole if check is empty.
func (p Progress) of(conditionType, check string) bool {
	return p.Condition == conditionType && p.Check == check
}

// comparePerCheck orders the clocks of each check by when they began.
func comparePerCheck(a, b Progress) int {
	return cmp.Or(cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Check, b.Check), a.Since.Compare(b.Since),
		cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Seen, b.Seen))
}

// dateAll replaces the results of a condition by those with deadlines, and returns the clocks to keep.
func dateAll[T any](clocks []Progress, c ConditionChecks[T], results []Result, now time.Time) []Progress {
	var all []Progress
	for i, check := range c.Checks {
		var kept []Progress
		results[i], kept = date(clocks, c.Type, check.Name, results[i], now)
		all = append(all, kept...)
	}
	return all
}

// date gives a result of one check its deadline, by the clocks of that check, and
// returns those that are to be kept.
func date(clocks []Progress, conditionType, check string, r Result, now time.Time) (Result, []Progress) {
	if r.Status == True || r.Status == Skipped {
		return r, nil
	}
	kept := slices.DeleteFunc(slices.Clone(clocks), func(p Progress) bool { return !p.of(conditionType, check) })
	if r.Status != Progressing || !r.Deadline.IsZero() || r.Within <= 0 {
		return r, kept
	}
	of := func(cause string) int {
		return slices.IndexFunc(kept, func(p Progress) bool { return p.Cause == cause })
	}
	cause := cmp.Or(r.Cause, r.Reason)
	if of(cause) < 0 && len(kept) >= maxCauses {
		cause = otherCauses
	}
	known := of(cause)
	if known < 0 {
		known = len(kept)
		kept = append(kept, Progress{Condition: conditionType, Check: check, Cause: cause, Since: now.Truncate(time.Second)})
	}
	r.Deadline = kept[known].Since.Add(max(r.Within, time.Second))
	return r, kept
}
