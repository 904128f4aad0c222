package history

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// clock is everybody's clock. It stands still unless the history moves it.
type clock struct{ now time.Time }

// Now implements clock.PassiveClock.
func (c *clock) Now() time.Time { return c.now }

// Since implements clock.PassiveClock.
func (c *clock) Since(t time.Time) time.Duration { return c.now.Sub(t) }

// ownClock is the clock of a process. It may be ahead of everybody's.
type ownClock struct{ p *Process }

// Now implements clock.PassiveClock.
func (c ownClock) Now() time.Time { return c.p.Now() }

// Since implements clock.PassiveClock.
func (c ownClock) Since(t time.Time) time.Duration { return c.p.Now().Sub(t) }

// Now returns the time that the clock of a process shows.
func (p *Process) Now() time.Time { return p.World.clock.now.Add(p.ahead) }

// IsAhead reports whether the clock of a process is ahead of everybody's.
func (p *Process) IsAhead() bool { return p.ahead > 0 }

// MostAhead is how far the clock of a leader may be ahead.
const MostAhead = 5 * time.Minute

// setsAhead may make the clock of a new process go ahead.
func (p *Process) setsAhead() {
	if !p.World.Spec.Has(worlds.Skew) {
		return
	}
	p.World.pick(schedule.AtCache, func() []option {
		return []option{{p.Name + " has a clock that is ahead by " + MostAhead.String(), func() {
			p.ahead = MostAhead
			p.World.Furthest, p.World.Unsteady = healthcheck.Latest(p.World.Furthest, p.Now()), p.Now()
		}}}
	})
}
