package healthcheck

import (
	"slices"
	"strings"
	"time"
)

// Merge merges the results of all checks of a condition into one result, as they read at now (see Result.At).
//
// The worst status wins, in the order False, Unknown, Progressing, True, Skipped. So a check that could not run
// never hides a known failure, and the result is Skipped only if all are. The reason is that of the first result
// with the winning status, in the given order. The messages of all results with that status are joined with "; ",
// and their codes are sorted, each once. The deadline is the earliest of theirs, and Overdue comes from the first
// result with that deadline. The recheck time is the earliest of all results, since any of them may change the
// merged one. Within, Left and Cause are empty: a merged result has a deadline, or none.
//
// Without any result, Merge returns Unknown with ReasonNoResult: nothing is healthy by omission. Merge does not
// change its arguments.
func Merge(now time.Time, results ...Result) Result {
	if len(results) == 0 {
		return Result{Status: Unknown, Reason: ReasonNoResult, Message: "no check returned a result"}
	}
	if len(results) == 1 {
		only := results[0].At(now)
		only.Codes, only.Within, only.Left, only.Cause = sorted(only.Codes), 0, 0, ""
		return only
	}
	merged := worst(now, results)
	merged.RecheckAt, merged.Within, merged.Left, merged.Cause = time.Time{}, 0, 0, ""
	var messages, codes []string
	for _, result := range results {
		// Call At again rather than keep its result: the list would be the only allocation for a healthy object.
		result = result.At(now)
		merged.RecheckAt = Earliest(merged.RecheckAt, result.NextChange())
		if result.Status != merged.Status {
			continue
		}
		if result.Message != "" && !slices.Contains(messages, result.Message) {
			messages = append(messages, result.Message)
		}
		codes = append(codes, result.Codes...)
		if result.Deadline.Before(merged.Deadline) {
			merged.Overdue = result.Overdue
		}
		merged.Deadline = Earliest(merged.Deadline, result.Deadline)
	}
	merged.Codes = sorted(codes)
	merged.Message = strings.Join(messages, "; ")
	return merged
}

// sorted returns the codes in order, each once. It does not change its argument.
func sorted(codes []string) []string {
	if len(codes) == 0 {
		return nil
	}
	codes = slices.Clone(codes)
	slices.Sort(codes)
	return slices.Compact(codes)
}

// worst returns the first result with the worst status, as it reads at now.
func worst(now time.Time, results []Result) Result {
	found := results[0].At(now)
	for _, result := range results[1:] {
		if read := result.At(now); read.Status.severity() < found.Status.severity() {
			found = read
		}
	}
	return found
}

// conclude makes one result from those of a condition, by Merge, Summary and Conclude in this order. It is pure, as they are.
func conclude[T any](now time.Time, c ConditionChecks[T], results []Result, current *Condition) Result {
	merged := Merge(now, results...)
	if c.Summary == nil && c.Conclude == nil {
		return merged
	}
	named := make([]NamedResult, len(results))
	for i, result := range results {
		named[i] = NamedResult{c.Checks[i].Name, result.At(now)}
	}
	if c.Summary != nil {
		merged.Message = c.Summary(named, merged)
	}
	if c.Conclude == nil {
		return merged
	}
	return c.Conclude(Findings{named, merged, current, now}).At(now)
}

// turned returns the status in the opposite polarity. Turning it twice gives the same status.
func (s Status) turned() Status {
	switch s {
	case True:
		return False
	case False:
		return True
	default:
		return s
	}
}

// inSense returns a stored condition in the checks' polarity, where True is healthy; nil if there is none.
func (c ConditionChecks[T]) inSense(stored *Condition) *Condition {
	if stored == nil || !c.Negative {
		return stored
	}
	turned := *stored
	turned.Status = stored.Status.turned()
	return &turned
}

// asStored returns the status in the polarity of the stored condition.
func (o *outcome) asStored() Status {
	if o.negative {
		return o.result.Status.turned()
	}
	return o.result.Status
}

// isBad reports whether a stored condition says that the object is not healthy.
func (r *Registration[T]) isBad(c Condition) bool {
	for i := range r.Conditions {
		if r.Conditions[i].Type == c.Type && r.Conditions[i].Negative {
			return c.Status == True
		}
	}
	return c.Status == False
}
