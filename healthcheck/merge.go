package healthcheck

import (
	"slices"
	"strings"
	"time"
)

// Merge makes one result out of the results of all checks of a condition, as
// they read at now.
//
// The worst status wins, in the order False, Unknown, Progressing, True, Skipped.
// A known failure is therefore never hidden by a check that could not run, and the
// result is Skipped only if all checks were. The reason is
// that of the first result with the winning status, in the order given; the
// messages of all of them are joined with "; ". Codes are collected from the
// same results, sorted, each once. The deadline is the earliest of theirs, and Overdue
// that of the first that has it. The
// recheck time is the earliest over all results, since any of them may change
// the merged one. Within and Cause are empty: a merged result has a deadline, or
// none.
//
// No results at all make Unknown with ReasonNoResult: nothing is healthy by
// omission. Merge does not change its arguments.
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
		// Read once more instead of kept, since a list of them would be all that is allocated for a healthy object.
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
