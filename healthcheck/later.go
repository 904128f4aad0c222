package healthcheck

import "time"

// LaterError puts a run off: nothing is written, nothing is logged, and the object is looked at again. A check or a precheck returns it if
// it cannot tell yet and will be able to in a moment, as when somebody else asks the same target already. A check that goes on
// like this never gives a verdict; what cannot be had for good is another error.
type LaterError struct {
	// After is how soon the object is looked at again.
	After time.Duration
}

// Error implements error.
func (e *LaterError) Error() string { return "it cannot be told just now" }
