package report

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Reasons of findings that are no condition's own.
const (
	// ReasonNoSources is given when there is nothing to report on.
	ReasonNoSources = "NoSources"
	// ReasonUnreadable is given when a source could not be read.
	ReasonUnreadable = "Unreadable"
	// ReasonNoConditions is given when a source has no conditions that count.
	ReasonNoConditions = "NoConditions"
	// ReasonMissing is given when a source lacks a condition that it should have.
	ReasonMissing = "ConditionMissing"
	// ReasonStale is given when a source has not been confirmed for too long.
	ReasonStale = "Stale"
	// ReasonOutdated is given when a condition is about an older generation of its source.
	ReasonOutdated = "Outdated"
	// ReasonInvalid is given when a condition has a status outside of the closed set.
	ReasonInvalid = "InvalidStatus"
	// ReasonHealthy is that of an overview without any problem.
	ReasonHealthy = "Healthy"
)

// Source is what is known of one source. A condition is healthy if it is True, or, of a
// type in Negative, if it is False.
type Source struct {
	// Name names the source, unique among those of one overview.
	Name string
	// Conditions are those that it has.
	Conditions []healthcheck.Condition
	// Wants are the condition types that it must have; others are not looked at. If it is
	// empty, all that are there are looked at, and there must be one.
	Wants []string
	// Negative are the condition types that are True if the source is not healthy, such as
	// Degraded.
	Negative []string
	// Generation is the metadata.generation of the source. A condition that was judged
	// on an older one is Unknown. Zero, in either of them, means that it is not known.
	Generation int64
	// ConfirmedAt is when somebody last saw to it that the conditions are still true, say
	// by renewing a Lease. Zero means never.
	ConfirmedAt time.Time
	// StaleAfter is how long the conditions count after ConfirmedAt. Zero means for ever.
	StaleAfter time.Duration
	// Err is why the source could not be read. Whatever else is known of it does not count.
	Err error
}

// staleAt is from when on the source is stale; zero means never.
func (s Source) staleAt() time.Time {
	if s.StaleAfter <= 0 || s.Err != nil {
		return time.Time{}
	}
	return s.ConfirmedAt.Add(s.StaleAfter)
}
