package report

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Overview is what many sources say together, in the form that a Handler serves.
// Summarize makes it. The names of its fields in JSON are part of the API.
type Overview struct {
	// Status is the worst of all sources, in the order of healthcheck.Merge.
	Status healthcheck.Status `json:"status"`
	// Reason is that of the worst finding.
	Reason string `json:"reason"`
	// Message says what is wrong, and with which sources; empty if nothing is.
	Message string `json:"message,omitempty"`
	// Codes are those of all findings that are False or Progressing, sorted, each once.
	Codes []string `json:"codes,omitempty"`
	// Sources are all sources, the worst first, and those alike by name.
	Sources []SourceOverview `json:"sources"`
	// RecheckAt is when the overview changes although no source does, since one of them
	// becomes stale. Zero means never.
	RecheckAt time.Time `json:"-"`
}

// SourceOverview is what one source says.
type SourceOverview struct {
	// Name names the source, as "namespace/name" for an object.
	Name string `json:"name"`
	// Status is the worst of its findings.
	Status healthcheck.Status `json:"status"`
	// Findings are one for each condition, the worst first, and those alike by type.
	Findings []Finding `json:"conditions"`
}

// Finding is what one condition of a source says, or why it says nothing.
type Finding struct {
	// Type is the type of the condition; empty if the source as a whole is meant.
	Type string `json:"type,omitempty"`
	// Negative says that the type is one of Source.Negative: True is not healthy.
	Negative bool `json:"negative,omitempty"`
	// Status, Reason, Message and Codes are those of the condition, unless it does not count.
	Status  healthcheck.Status `json:"status"`
	Reason  string             `json:"reason"`
	Message string             `json:"message,omitempty"`
	Codes   []string           `json:"codes,omitempty"`
	// LastTransitionTime is that of the condition; zero, and not in JSON, if there is none.
	LastTransitionTime time.Time `json:"lastTransitionTime,omitzero"`
}

// Healthy reports whether there are sources, each has findings, and all of these are True,
// or False if they are negative.
// A skipped finding does not count. Status alone is not believed, and has to be True, too.
func (o Overview) Healthy() bool {
	return o.Status == healthcheck.True && len(o.Sources) > 0 && !slices.ContainsFunc(o.Sources, func(s SourceOverview) bool {
		return s.Status != healthcheck.True || s.worst() != healthcheck.True
	})
}

// worst is the worst status of the findings, Skipped if there are none that count.
func (s SourceOverview) worst() healthcheck.Status {
	worst := healthcheck.Skipped
	for _, finding := range s.Findings {
		if severer(finding.health(), worst) < 0 {
			worst = finding.health()
		}
	}
	return worst
}
