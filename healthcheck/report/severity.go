package report

import (
	"cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/severity"
)

// severer orders statuses, the worst first: it is negative if a is worse than b. An undefined status counts as Unknown.
func severer(a, b healthcheck.Status) int { return cmp.Compare(rank(a), rank(b)) }

func rank(s healthcheck.Status) int {
	if !s.Valid() {
		s = healthcheck.Unknown
	}
	return severity.Of(string(s))
}

// health returns the status of a finding in positive polarity, where True is healthy.
func (f Finding) health() healthcheck.Status {
	switch {
	case f.Negative && f.Status == healthcheck.True:
		return healthcheck.False
	case f.Negative && f.Status == healthcheck.False:
		return healthcheck.True
	default:
		return f.Status
	}
}
