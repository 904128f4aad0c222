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
// merged one. Within and Cause are empty: a merged result has a deadline, or none.
//
// Without any result, Merge returns Unknown with ReasonNoResult: nothing is healthy by omission. Merge does not
// change its arguments.
func Merge(now time.Time, results ...Result) Result {
	if len(results) == 0 {
		return Result{Status: Unknown, Reason: ReasonNoResult, Message: "no check returned a result"}
	}
	if len(results) == 1 {
		only := results[0].At(now)
		only.Codes, only.Within, only.Cause = sorted(only.Codes), 0, ""
		return only
	}
	merged := worst(now, results)
	merged.RecheckAt, merged.Within, merged.Cause = time.Time{}, 0, ""
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
