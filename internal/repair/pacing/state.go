package pacing

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/jitter"
)

const (
	// idleTime is the time without a repair after which a domain starts over.
	idleTime = 10 * time.Minute
	// firstCooldown and maxCooldown limit how long a domain rests. A quarter may be added, up to 10 minutes in all.
	firstCooldown = time.Minute
	maxCooldown   = 8 * time.Minute
)

// state is how fast one domain may go.
type state struct {
	limit, unproven int
	// served is when it last acted, and turn orders candidates taken at the same moment.
	served time.Time
	turn   int
	// cooldown is how long it rests each time, and restsUntil is when the current rest ends.
	cooldown   time.Duration
	restsUntil time.Time
}

// fresh is a domain in which nothing has been repaired.
var fresh = state{limit: 1, cooldown: firstCooldown}

// stateOf returns the state that follows from the repairs of one domain.
func stateOf(repairs []Repair, now time.Time) state {
	repairs = believed(repairs, now)
	s := fresh
	for _, r := range repairs {
		s.served = healthcheck.Latest(s.served, r.Served)
	}
	recent := sinceIdle(repairs, now)
	lastFailure := s.replay(recent)
	for _, r := range recent {
		if r.Completed.IsZero() {
			s.unproven++
		}
		s.rest(r.Served, r.UID)
	}
	s.rest(lastFailure.Completed, lastFailure.UID)
	return s
}

// believed leaves out what the clock of another leader, which was far ahead, said: nobody waits long for a time in the future. API servers and managers
// differ by moments.
func believed(repairs []Repair, now time.Time) []Repair {
	var all []Repair
	latest := now.Add(firstCooldown)
	for _, r := range repairs {
		if r.Served.After(latest) {
			r.Served = time.Time{}
		}
		if !r.Completed.After(latest) {
			all = append(all, r)
		}
	}
	return all
}

// sinceIdle returns the repairs since the domain was last idle: without a repair at work for idleTime.
func sinceIdle(repairs []Repair, now time.Time) []Repair {
	repairs = slices.SortedFunc(slices.Values(repairs), func(a, b Repair) int { return a.Started.Compare(b.Started) })
	first, busyUntil := 0, time.Time{}
	for i, r := range repairs {
		if !r.Started.Before(busyUntil.Add(idleTime)) {
			first = i
		}
		if r.Completed.IsZero() {
			return repairs[first:]
		}
		busyUntil = healthcheck.Latest(busyUntil, r.Completed)
	}
	if !now.Before(busyUntil.Add(idleTime)) {
		return nil
	}
	return repairs[first:]
}

// replay goes through the repairs in the order in which they ended, round by round. It returns the last failure that counted.
func (s *state) replay(repairs []Repair) (lastFailure Repair) {
	repairs = slices.SortedFunc(slices.Values(repairs), func(a, b Repair) int {
		return cmp.Or(a.Completed.Compare(b.Completed), cmp.Compare(a.UID, b.UID))
	})
	proven := 0
	for _, r := range repairs {
		switch {
		case r.Completed.IsZero() || !r.Started.After(lastFailure.Completed):
			// It is at work, or belongs to a round that has already failed.
		case r.Failed:
			s.limit, s.cooldown = 1, min(2*s.cooldown, maxCooldown)
			proven, lastFailure = 0, r
		case r.Proven:
			if proven++; proven == s.limit {
				s.limit, proven, s.cooldown = 2*s.limit, 0, firstCooldown
			}
		}
	}
	return lastFailure
}

// rest lets the domain rest after a moment; the latest counts.
func (s *state) rest(after time.Time, uid types.UID) {
	if after.IsZero() {
		return
	}
	s.restsUntil = healthcheck.Latest(s.restsUntil, after.Add(s.cooldown+jitter.UpTo(s.cooldown/4, uid)))
}
