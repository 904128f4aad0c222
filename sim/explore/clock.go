package explore

import "time"

// hands are those of the clock that everybody goes by. They stand still unless the run moves them.
type hands struct{ now time.Time }

// Now implements clock.PassiveClock.
func (h *hands) Now() time.Time { return h.now }

// Since implements clock.PassiveClock.
func (h *hands) Since(t time.Time) time.Duration { return h.now.Sub(t) }
