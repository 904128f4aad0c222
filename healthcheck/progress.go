package healthcheck

import (
	"context"
	"time"
)

// Progress is a clock: since when a check has seen something progress. Each cause of each
// check has one of its own. It begins when the cause is seen first, goes on while the check
// fails or cannot be carried out or gives another cause, and ends when the check passes. So
// alternating answers do not reset it, a second cause does not inherit the time of the first,
// and a new progress is one even after another has failed. Beyond eight causes without a pass
// in between, the others share one clock.
//
// One without a Check is about the condition as a whole, and its Cause is the status that it turns to.
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

// ProgressStore keeps clocks on the object, so that they outlive the process. [AnnotationProgress] is one.
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
