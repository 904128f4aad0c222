package report

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Overview is the summary of many sources, in the form that a Handler serves. Summarize makes
// it. The JSON names of its fields are part of the API.
type Overview struct {
	// Status is the worst of all sources, in the order of healthcheck.Merge.
	Status healthcheck.Status `json:"status"`
	// Reason is that of the worst finding, or ReasonHealthy.
	Reason string `json:"reason"`
	// Message says what is wrong, and with which sources; it is empty if nothing is.
	Message string `json:"message,omitempty"`
	// Codes are those of all findings whose health is False or Progressing, sorted, each
	// once.
	Codes []string `json:"codes,omitempty"`
	// Sources are all sources, the worst first, and then by name.
	Sources []SourceOverview `json:"sources"`
	// RecheckAt is when the overview changes although no source does, because a source
	// becomes stale. Zero means never.
	RecheckAt time.Time `json:"-"`
}

// SourceOverview is the summary of one source.
type SourceOverview struct {
	// Name is the name of the source, such as "namespace/name" for an object.
	Name string `json:"name"`
	// Status is the worst of its findings.
	Status healthcheck.Status `json:"status"`
	// Findings has one finding for each condition, the worst first, and then by type.
	Findings []Finding `json:"conditions"`
}

// Finding is what one condition of a source says, or why it does not count.
type Finding struct {
	// Type is the type of the condition; it is empty if the finding is about the source as a
	// whole.
	Type string `json:"type,omitempty"`
	// Negative says that the type is in Source.Negative: True is not healthy.
	Negative bool `json:"negative,omitempty"`
	// Status, Reason, Message and Codes are those of the condition, unless it does not count.
	Status  healthcheck.Status `json:"status"`
	Reason  string             `json:"reason"`
	Message string             `json:"message,omitempty"`
	Codes   []string           `json:"codes,omitempty"`
	// LastTransitionTime is that of the condition; it is zero, and absent from the JSON, if
	// there is none.
	LastTransitionTime time.Time `json:"lastTransitionTime,omitzero"`
}

// Healthy reports whether the status is True, there are sources, each has findings, and all
// findings are True, or False if they are negative. A skipped finding does not count. The
// status alone is not enough.
func (o Overview) Healthy() bool {
	return o.Status == healthcheck.True && len(o.Sources) > 0 && !slices.ContainsFunc(o.Sources, func(s SourceOverview) bool {
		return s.Status != healthcheck.True || s.worst() != healthcheck.True
	})
}

// worst returns the worst status of the findings; Skipped if none of them counts.
func (s SourceOverview) worst() healthcheck.Status {
	worst := healthcheck.Skipped
	for _, finding := range s.Findings {
		if severer(finding.health(), worst) < 0 {
			worst = finding.health()
		}
	}
	return worst
}
