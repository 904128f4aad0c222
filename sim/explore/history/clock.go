package history

import "time"

// clock is everybody's clock. It stands still unless the history moves it.
type clock struct{ now time.Time }

// Now implements clock.PassiveClock.
func (c *clock) Now() time.Time { return c.now }

// Since implements clock.PassiveClock.
func (c *clock) Since(t time.Time) time.Duration { return c.now.Sub(t) }
