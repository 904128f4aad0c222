package healthcheck

import (
	"cmp"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/severity"
)

// Status is the answer of a check. It is a closed set: the engine treats any other value as a broken
// check, and it becomes Unknown. The first four are the statuses of conditions in Gardener's
// extensions; the Kubernetes API conventions know three of them.
type Status string

const (
	// True says that the object is healthy in the sense of the check.
	True Status = "True"
	// False says that it is not.
	False Status = "False"
	// Unknown says that the check cannot tell, at all or yet.
	Unknown Status = "Unknown"
	// Progressing says that the object is not healthy yet, and has until Result.Deadline, or for
	// Result.Within, to become so. After that it is False.
	Progressing Status = "Progressing"
	// Skipped says that the check has nothing to say about this object. It is not a pass: a
	// condition whose checks are all skipped is removed.
	Skipped Status = "Skipped"
)

// Valid reports whether s is one of these statuses.
func (s Status) Valid() bool { return s.severity() >= 0 }

// Reasons that the engine itself sets. They follow the Kubernetes API convention for condition
// reasons (CamelCase, one word).
const (
	// ReasonNoResult means that there was nothing to merge.
	ReasonNoResult = "NoResult"
	// ReasonCheckFailed means that a check returned an error.
	ReasonCheckFailed = "CheckFailed"
	// ReasonCheckTimedOut means that a check did not answer in time.
	ReasonCheckTimedOut = "CheckTimedOut"
	// ReasonCheckPanicked means that a check panicked.
	ReasonCheckPanicked = "CheckPanicked"
	// ReasonInvalidResult means that a check returned an undefined status, or Progressing without a
	// deadline.
	ReasonInvalidResult = "InvalidResult"
	// ReasonDeadlineExceeded means that a progress took too long, unless Result.Overdue says
	// otherwise.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonTargetUnavailable and ReasonParentUnavailable mean that a check could not be carried out
	// because the target or the parent that it needs was unavailable.
	ReasonTargetUnavailable = "TargetUnavailable"
	ReasonParentUnavailable = "ParentUnavailable"
	// ReasonContested is the reason of an Event, and not of a condition: somebody else writes the condition, too.
	ReasonContested = "ConditionContested"
	// reasonNotGiven is stored for a result without a reason if the condition must have one.
	reasonNotGiven = "NotGiven"
)

// Result is what one check found out about one object. It is plain data and does not change after it
// was returned. The zero value is invalid on purpose.
type Result struct {
	// Status is the verdict.
	Status Status
	// Reason is one CamelCase word for programs, as in metav1.Condition.
	Reason string
	// Message is one sentence for people. It must be the same for the same
	// problem on every run: no times, no counters, no random order.
	Message string
	// Codes classify a problem for programs. There may be any number. A store that has no place for
	// them drops them.
	Codes []string
	// Deadline, of a Progressing result, is the moment from which it is False. A check that does not
	// know when the progress began leaves it zero, and sets Within. Of a False result, it is the
	// moment from which the object counts as unhealthy, if the check knows it; how late the verdict
	// was stored is measured from there. It is ignored for True and Unknown.
	Deadline time.Time
	// Within, of a Progressing result without a Deadline, is how long the progress may take, counted
	// from when the engine first saw it: see Progress. Less than a second counts as one.
	Within time.Duration
	// Left, of a Progressing result with Within, counts what is still to do, such as replicas to
	// update. If it is less when the time is over than when the time began, the time begins again:
	// what advances is not stuck. Zero, the default, never is less. A result with Left may have a
	// Deadline, too, if the check knows when the progress began: Within before it.
	Left int
	// Overdue, of a Progressing result, is the reason once the deadline has passed. The default is
	// ReasonDeadlineExceeded. The message stays.
	Overdue string
	// Cause distinguishes several progresses of a check, such as "revision 7" from "revision 8".
	// Each has its own clock. The default is Reason.
	Cause string
	// RecheckAt is the earliest moment at which this result can change although nothing in the
	// cluster changes. Zero means that only an event can change it. It need not repeat the Deadline
	// of a Progressing result.
	RecheckAt time.Time
}

// At returns r as it reads at now. A Progressing result whose deadline is reached is False with the
// reason Overdue. A result that breaks the rules of this package is Unknown with
// ReasonInvalidResult. A RecheckAt that is reached becomes zero.
func (r Result) At(now time.Time) Result {
	if !r.Status.Valid() {
		return Result{Status: Unknown, Reason: ReasonInvalidResult, Message: "a check returned the unknown status \"" + string(r.Status) + "\""}
	}
	if !r.RecheckAt.After(now) {
		r.RecheckAt = time.Time{}
	}
	if r.Status != Progressing {
		r.Overdue = ""
		return r
	}
	if r.Deadline.IsZero() {
		return Result{Status: Unknown, Reason: ReasonInvalidResult, Message: "a check returned Progressing without a deadline"}
	}
	if !now.Before(r.Deadline) {
		r.Status, r.Reason, r.Overdue = False, cmp.Or(r.Overdue, ReasonDeadlineExceeded), ""
	}
	return r
}

// NextChange returns the earliest moment at which r changes by itself: its
// RecheckAt, or the deadline of a Progressing result. Zero means never.
func (r Result) NextChange() time.Time {
	if r.Status != Progressing {
		return r.RecheckAt
	}
	return Earliest(r.RecheckAt, r.Deadline)
}

// Earliest returns the earlier of two times. Zero means never.
func Earliest(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// Latest returns the latest of some times, such as the start of a deadline that counts only once several things have happened. It is zero
// if all of them are, or if there are none.
func Latest(times ...time.Time) time.Time {
	latest := time.Time{}
	for _, at := range times {
		if at.After(latest) {
			latest = at
		}
	}
	return latest
}

// severity orders the statuses for merging, the worst first; it is negative for an invalid one.
func (s Status) severity() int {
	return severity.Of(string(s))
}

// NamedResult is the result of one check, with the name of the check.
type NamedResult struct {
	// Name is the name of the check.
	Name string
	Result
}

// Findings are what the checks of a condition have found in one run.
type Findings struct {
	// Results are the results of all checks, in the order of their registration, as they
	// read at Now. They include the deadlines that the engine computes from Result.Within.
	Results []NamedResult
	// Merged is the result of Merge, with the message of Summary, if there is one.
	Merged Result
	// Current is the stored condition in the checks' polarity, or nil if there is none.
	Current *Condition
	// Now is the moment of the run.
	Now time.Time
}

// Summary returns the message of a condition. It gets the results of all checks, in the
// order of their registration, as they read at the time of the run, and the result of
// Merge. It must depend on nothing else, and return the same message for the same results:
// each changed message is written.
type Summary func(results []NamedResult, merged Result) string
