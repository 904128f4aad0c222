package pause

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

const (
	// warnEvery is how often Sickbay repeats the warning about a pause that is too long.
	warnEvery = time.Hour
	// lookAgain is how soon to retry a signal that cannot be read, and lookSoon one that was just started. Both are
	// fallbacks: usually an event comes first.
	lookAgain = 30 * time.Second
	lookSoon  = 250 * time.Millisecond
)

// Transition is what a decision does to a MachineHealthCheck.
type Transition int

// The transitions.
const (
	// None: nothing changes, or nothing worth reporting.
	None Transition = iota
	// Begin: the MachineHealthCheck is paused.
	Begin
	// End: it is resumed, and its clocks restart.
	End
	// Overridden: somebody has unpaused it, or taken over the pause, and the annotations record that.
	Overridden
	// Warn: it has been paused for too long, and stays paused.
	Warn
	// Settling: the upgrade is over, and it stays paused until its Nodes are Ready.
	Settling
)

// Decision is what to do, and when to decide again.
type Decision struct {
	Transition Transition
	// Changes are the changes to the annotations; nil removes one. If it is empty, there is nothing to write.
	Changes map[string]*string
	// Paused reports whether our pause is in effect afterwards, PausedAt since when, and Overlong whether that is too
	// long.
	Paused   bool
	PausedAt time.Time
	Overlong bool
	// RecheckAt is when to look again if nothing happens before; zero means never.
	RecheckAt time.Time
}

// Decide decides about one MachineHealthCheck. A signal that cannot be read only delays the end of pauses for its own
// upgrades.
func Decide(f Facts, now time.Time) Decision {
	d := f.decide(now.Truncate(time.Second)) // stored times have this precision
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
	if f.Drains {
		return drain(f)
	}
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
		// Note the upgrades, so that if somebody lifts that pause during the upgrade, it stays lifted.
		return leave(f, f.record())
	case free:
		return leave(f, f.overridden())
	default:
		return begin(f, now)
	}
}
