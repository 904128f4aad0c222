package healthcheck

import (
	"context"
	"time"
)

// Progress is a clock: it says since when a check has seen something progress. Each cause of each check
// has its own. It starts when the check first gives the cause, keeps running while the check fails, cannot
// be carried out or gives another cause, and ends when the check passes. So alternating answers do not
// reset it, a second cause does not inherit the time of the first, and a new cause gets the full time even
// after another has failed. After eight causes without a pass in between, all others share one clock.
//
// A Progress without a Check is about the condition as a whole (see Damping), and its Cause is the status
// that the condition is to change to.
type Progress struct {
	// Condition and Check identify the check.
	Condition, Check string
	// Cause is Result.Cause, or else Result.Reason.
	Cause string
	// Since is when the cause was first seen, to the second.
	Since time.Time
	// Seen is how often it was seen; only Damping counts that.
	Seen int
}

// ProgressStore keeps clocks on the object, so that they survive a restart. [AnnotationProgress] is one.
//
// Implementations must be safe for concurrent use.
type ProgressStore[T any] interface {
	// Load returns the clocks stored on obj. It must not do I/O.
	Load(obj T) []Progress
	// Save replaces the clocks, and sets the resource version of obj to that of the written object. The
	// engine calls it before it writes the conditions. If obj has a resource version, and the object has
	// changed since, Save must fail with a conflict: otherwise a Store that relies on the new version
	// would overwrite changes of others. If obj has none, Save writes in any case; the engine does this
	// for an object that changes all the time.
	Save(ctx context.Context, obj T, progress []Progress) error
}
