package healthcheck

import (
	"cmp"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/severity"
)

// Status is the answer of a check. It is a closed set: any other value is
// treated as a broken check and becomes Unknown. The first four are those of the
// conditions of Gardener's extensions, of which the Kubernetes API conventions
// know three.
type Status string

const (
	// True says that the object is healthy in the sense of the check.
	True Status = "True"
	// False says that it is not.
	False Status = "False"
	// Unknown says that the check cannot tell, or cannot tell yet.
	Unknown Status = "Unknown"
	// Progressing says that the object is not healthy yet and has until
	// Result.Deadline to become so, or as long as Result.Within. Past that it is
	// False.
	Progressing Status = "Progressing"
	// Skipped says that the check has nothing to say about this object. It is no
	// pass: a condition whose checks are all skipped is not there.
	Skipped Status = "Skipped"
)

// Valid reports whether s is one of these statuses.
func (s Status) Valid() bool { return s.severity() >= 0 }

// Reasons that the engine itself gives to a result. They follow the Kubernetes
// API convention for condition reasons (CamelCase, one word).
const (
	// ReasonNoResult is given when there was nothing to merge.
	ReasonNoResult = "NoResult"
	// ReasonCheckFailed is given when a check returned an error.
	ReasonCheckFailed = "CheckFailed"
	// ReasonCheckTimedOut is given when a check did not answer in time.
	ReasonCheckTimedOut = "CheckTimedOut"
	// ReasonCheckPanicked is given when a check panicked.
	ReasonCheckPanicked = "CheckPanicked"
	// ReasonInvalidResult is given when a check returned a status outside of the
	// closed set, or Progressing without a deadline.
	ReasonInvalidResult = "InvalidResult"
	// ReasonDeadlineExceeded is given when something has taken too long, unless
	// Result.Overdue says otherwise.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonTargetUnavailable and ReasonParentUnavailable are given when a check was
	// not run, since what it needs could not be had.
	ReasonTargetUnavailable = "TargetUnavailable"
	ReasonParentUnavailable = "ParentUnavailable"
	// reasonNotGiven is stored for a result without a reason where the condition
	// must have one.
	reasonNotGiven = "NotGiven"
)

// Result is what one check found out about one object. It is plain data and is
// never changed after it was returned; the zero value is invalid on purpose.
type Result struct {
	// Status is the verdict.
	Status Status
	// Reason is one CamelCase word for programs, as in metav1.Condition.
	Reason string
	// Message is one sentence for people. It must be the same for the same
	// problem on every run: no times, no counters, no random order.
	Message string
	// Codes classify a problem for programs, in any number. A store that has no
	// place for them leaves them out.
	Codes []string
	// Deadline is for Progressing: from this moment on the result is False. A check
	// that does not know when the progress began leaves it zero, and sets Within. For
	// False it is the moment from which the object counts as
	// unhealthy, if the check knows it; how late the verdict was stored is
	// measured against it. It is ignored for True and Unknown.
	Deadline time.Time
	// Within is for Progressing without a Deadline: how long it may take, counted
	// from when the engine saw this progress first: see Progress. Less than a second counts
	// as one.
	Within time.Duration
	// Overdue is for Progressing: the reason once the deadline has passed. The default is
	// ReasonDeadlineExceeded. The message stays.
	Overdue string
	// Cause tells one progress of a check from another, each of which has a clock of
	// its own, as "revision 7". The default is Reason.
	Cause string
	// RecheckAt is the earliest moment at which this result can change although
	// nothing in the cluster changes. Zero means: only an event can change it.
	// The Deadline of a Progressing result need not be repeated here.
	RecheckAt time.Time
}

// At returns r as it reads at now: a Progressing result whose deadline is
// reached is False for the reason Overdue, a result that breaks the rules of this package is Unknown
// with ReasonInvalidResult, and a recheck time that is reached is due, so nothing
// is left to wait for.
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

// Earliest returns the earlier of two times, where zero stands for "never".
func Earliest(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// severity orders the statuses for merging, the worst first; it is negative for
// one that is none of them.
func (s Status) severity() int {
	return severity.Of(string(s))
}
