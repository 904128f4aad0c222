package gardener

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// untilConcluded gives a progress a deadline, which a result needs to be merged. How long it really has is decided with the
// others of its condition: see byCondition.
func untilConcluded(r healthcheck.Result, now time.Time) healthcheck.Result {
	if r.Status == healthcheck.Progressing {
		r.Deadline = now.Add(max(r.Within, time.Second))
	}
	return r
}

// byCondition reads a merged result by the clock of Gardener: how long the condition has had its status. The smallest
// threshold of the results that progress counts. A condition that is False stays so until it was True or Unknown, and
// without any threshold it is False at once.
func byCondition(found healthcheck.Findings) healthcheck.Result {
	merged := found.Merged
	// No result changes by itself but for its deadline, which is none.
	merged.RecheckAt = time.Time{}
	if merged.Status != healthcheck.Progressing {
		return merged
	}
	within, since, current := smallestThreshold(found.Results), found.Now.Truncate(time.Second), found.Current
	if current != nil && (current.Status == healthcheck.Progressing || current.Status == healthcheck.Unknown) {
		since = current.LastTransitionTime
	}
	// At the very end it still progresses.
	merged.Deadline = since.Add(within + time.Nanosecond)
	if within <= 0 || (current != nil && current.Status == healthcheck.False) || !found.Now.Before(merged.Deadline) {
		merged.Status = healthcheck.False
	}
	return merged
}

// smallestThreshold is that of the results that progress; zero if none of them has one.
func smallestThreshold(results []healthcheck.NamedResult) time.Duration {
	var smallest time.Duration
	for _, r := range results {
		if r.Status == healthcheck.Progressing && r.Within > 0 && (smallest == 0 || r.Within < smallest) {
			smallest = r.Within
		}
	}
	return smallest
}
