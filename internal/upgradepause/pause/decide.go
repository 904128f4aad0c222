package pause

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

const (
	// warnEvery is how often a pause that is too long is spoken of.
	warnEvery = time.Hour
	// lookAgain is when a signal that cannot be read is tried again, and lookSoon when one that
	// has just been started is. Neither is needed if the signal speaks by itself.
	lookAgain = 30 * time.Second
	lookSoon  = 250 * time.Millisecond
)

// Transition is what a decision does to a MachineHealthCheck.
type Transition int

// The transitions.
const (
	// None: nothing, or nothing that anybody need know of.
	None Transition = iota
	// Begin: it is paused.
	Begin
	// End: it is resumed, and the clocks restart.
	End
	// Overridden: somebody has unpaused it, or taken the pause over. That is noted.
	Overridden
	// Warn: it stays paused, for too long.
	Warn
	// Settling: the upgrade is over, and it stays paused until its Nodes are Ready.
	Settling
)

// Decision is what to do, and when it may change by itself.
type Decision struct {
	Transition Transition
	// Changes to the annotations; nil removes one. Empty is nothing to write.
	Changes map[string]*string
	// Paused reports whether it is paused by us afterwards, PausedAt since when, and Overlong that
	// this is too long.
	Paused   bool
	PausedAt time.Time
	Overlong bool
	// Fought says that a pause is not written anew for now: somebody takes it away each time.
	Fought bool
	// RecheckAt is when to look again though nothing happens; zero is never.
	RecheckAt time.Time
}

// Decide looks at one MachineHealthCheck. A signal that cannot be read holds up nothing but the end of its own upgrades.
func Decide(f Facts, now time.Time) Decision {
	d := f.decide(now.Truncate(time.Second)) // as it is stored
	for _, unknown := range f.Unknown {
		wait := lookAgain
		if unknown.Why == "" {
			wait = lookSoon
		}
		d.RecheckAt = healthcheck.Earliest(d.RecheckAt, now.Add(wait))
	}
	return d
}

func (f Facts) decide(now time.Time) Decision {
	switch f.state() {
	case excepted:
		return end(f, now)
	case unnamed:
		return untouched(f, now)
	case over:
		return settle(f, now)
	case ongoing:
		return keep(f, now)
	case foreign:
		// Noted, so that if someone lifts that pause during the upgrade, it stays lifted.
		return leave(f, f.withHalted(f.open()))
	case free:
		return leave(f, f.withHalted(f.lifted()))
	default:
		return begin(f, now)
	}
}
