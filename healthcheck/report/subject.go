package report

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Reasons that this package sets.
const (
	// ReasonNoSubjects means that there is nothing to report on.
	ReasonNoSubjects = "NoSubjects"
	// ReasonUnreadable means that a subject could not be read.
	ReasonUnreadable = "Unreadable"
	// ReasonNoConditions means that a subject has no conditions that count.
	ReasonNoConditions = "NoConditions"
	// ReasonMissing means that a subject lacks a condition that it should have.
	ReasonMissing = "ConditionMissing"
	// ReasonStale means that a subject has not been confirmed for too long.
	ReasonStale = "Stale"
	// ReasonOutdated means that a condition is about an older generation of its subject.
	ReasonOutdated = "Outdated"
	// ReasonInvalid means that a condition has an undefined status.
	ReasonInvalid = "InvalidStatus"
	// ReasonHealthy is the reason of an overview without any problem.
	ReasonHealthy = "Healthy"
)

// Subject is what is known of one subject. A condition is healthy if it is True, or if its
// type is in Negative and it is False.
type Subject struct {
	// Name is the name of the subject, unique in one overview.
	Name string
	// Conditions are the conditions of the subject.
	Conditions []healthcheck.Condition
	// Wants lists the condition types that the subject must have; others are ignored. If it
	// is empty, all conditions count, and there must be at least one.
	Wants []string
	// Negative lists the condition types that are True if the subject is not healthy, such
	// as Degraded.
	Negative []string
	// Generation is the metadata.generation of the subject. A condition with an older
	// ObservedGeneration is Unknown. Zero in either of them means that it is not known.
	Generation int64
	// ConfirmedAt is when the conditions were last confirmed, for example by renewing a
	// Lease. Zero means never.
	ConfirmedAt time.Time
	// StaleAfter is how long the conditions count after ConfirmedAt. Zero means for ever.
	StaleAfter time.Duration
	// Err is why the subject could not be read. If it is set, nothing else about the subject
	// counts.
	Err error
}

// staleAt returns the time from which the subject is stale; zero means never.
func (s Subject) staleAt() time.Time {
	if s.StaleAfter <= 0 || s.Err != nil {
		return time.Time{}
	}
	return s.ConfirmedAt.Add(s.StaleAfter)
}
