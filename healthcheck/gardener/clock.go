package gardener

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// untilConcluded sets a deadline for a progress, because a result needs one to be merged. It never comes: byCondition sets the real
// one, from all results of the condition.
func untilConcluded(r healthcheck.Result, now time.Time) healthcheck.Result {
	if r.Status == healthcheck.Progressing {
		r.Deadline = now.AddDate(100, 0, 0)
	}
	return r
}

// byCondition applies Gardener's clock to a merged result: how long the condition has had its status. The smallest
// threshold of the progressing results counts. A condition that is False stays so until it was True or Unknown, and
// without any threshold it is False at once.
func byCondition(found healthcheck.Findings) healthcheck.Result {
	merged := found.Merged
	// The deadlines of the results are not real ones, and nothing else changes by itself.
	merged.RecheckAt = time.Time{}
	if merged.Status != healthcheck.Progressing {
		return merged
	}
	within, since, current := smallestThreshold(found.Results), found.Now.Truncate(time.Second), found.Current
	if current != nil && (current.Status == healthcheck.Progressing || current.Status == healthcheck.Unknown) {
		since = current.LastTransitionTime
	}
	// At exactly the threshold it still progresses.
	merged.Deadline = since.Add(within + time.Nanosecond)
	if within <= 0 || (current != nil && current.Status == healthcheck.False) || !found.Now.Before(merged.Deadline) {
		merged.Status = healthcheck.False
	}
	return merged
}

// smallestThreshold returns that of the progressing results; zero if none has one.
func smallestThreshold(results []healthcheck.NamedResult) time.Duration {
	var smallest time.Duration
	for _, r := range results {
		if r.Status == healthcheck.Progressing && r.Within > 0 && (smallest == 0 || r.Within < smallest) {
			smallest = r.Within
		}
	}
	return smallest
}
