package healthcheck

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// ProgressRule says by which clock a Progressing result with Result.Within becomes
// False.
type ProgressRule int

const (
	// ByCause is the default: each cause of each check has a clock of its own. It
	// begins when the cause is seen first, goes on while the check fails or cannot be
	// carried out or gives another cause, and ends when the check passes. So
	// alternating answers do not reset it, a second cause does not inherit the time of
	// the first, and a new progress is one even after another has failed.
	// Beyond eight causes without a pass in between, the others share one clock.
	ByCause ProgressRule = iota
	// ByCondition is the rule of Gardener's health check library: the clock is how
	// long the condition has had its status. The smallest Within of the results that
	// progress counts. A condition that is False stays so until it was True or
	// Unknown, and a result without Within is False at once.
	ByCondition
)

// Progress is since when a check has seen something progress. One without a Check is
// about the condition as a whole, and its Cause is the status that it turns to.
type Progress struct {
	// Condition and Check name the check.
	Condition, Check string
	// Cause is Result.Cause, or else Result.Reason.
	Cause string
	// Since is when it was seen first, with a resolution of one second.
	Since time.Time
	// Seen is how often it was seen, where that matters: see Damping.
	Seen int
}

// ProgressStore keeps the clocks of ByCause on the object, so that they outlive the
// process. [AnnotationProgress] is one.
//
// Implementations must be safe for concurrent use.
type ProgressStore[T any] interface {
	// Load returns what is stored on obj. It does no I/O.
	Load(obj T) []Progress
	// Save replaces it, and gives obj the resource version that the write led to. It
	// is called before the conditions are written. It fails with a conflict if the object
	// has changed since obj was read: its new version would have a Store that relies on it
	// write over what others have changed. If obj has no resource version it writes whatever
	// has changed: so it is called for an object that changes all the time.
	Save(ctx context.Context, obj T, progress []Progress) error
}

// maxCauses is how many causes of one check have clocks of their own. Those that come on
// top of them, while the check has never passed, share one: nothing goes on for ever by
// having a new cause each time.
const maxCauses = 8

// otherCauses stands for these.
const otherCauses = "*"

func (p Progress) of(conditionType, check string) bool {
	return p.Condition == conditionType && p.Check == check
}

func comparePerCheck(a, b Progress) int {
	return cmp.Or(cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Check, b.Check), a.Since.Compare(b.Since),
		cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Seen, b.Seen))
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
	r.Deadline = kept[known].Since.Add(r.Within)
	return r, kept
}

// byCondition reads a merged result by the clock of the stored condition. Within is
// the smallest of the results that progress; zero if none of them has one.
func byCondition(current *Condition, merged Result, within time.Duration, now time.Time) Result {
	since := now.Truncate(time.Second)
	if current != nil && (current.Status == Progressing || current.Status == Unknown) {
		since = current.LastTransitionTime
	}
	merged.Deadline = since.Add(within)
	if within <= 0 || (current != nil && current.Status == False) || now.After(merged.Deadline) {
		merged.Status = False
	}
	return merged
}

// mergeBy merges results by a rule. It changes those that have no deadline of their own.
func mergeBy(rule ProgressRule, now time.Time, results []Result, current *Condition) Result {
	if rule == ByCause {
		return Merge(now, results...)
	}
	var (
		within time.Duration
		due    time.Time
	)
	for i := range results {
		r := &results[i]
		if r.Status != Progressing || !r.Deadline.IsZero() {
			due = Earliest(due, r.At(now).NextChange())
			continue
		}
		if r.RecheckAt.After(now) {
			due = Earliest(due, r.RecheckAt)
		}
		if r.Within > 0 && (within == 0 || r.Within < within) {
			within = r.Within
		}
		// A result needs one to be merged. The clock is that of the condition, below.
		r.Deadline = now.Add(max(r.Within, time.Second))
	}
	merged := Merge(now, results...)
	merged.RecheckAt = due
	if merged.Status == Progressing {
		return byCondition(current, merged, within, now)
	}
	return merged
}
