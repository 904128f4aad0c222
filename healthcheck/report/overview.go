package report

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Overview is the summary of many subjects, in the form that a Handler serves. Summarize makes
// it. The JSON names of its fields are part of the API.
type Overview struct {
	// Status is the worst of all subjects, in the order of healthcheck.Merge.
	Status healthcheck.Status `json:"status"`
	// Reason is that of the worst finding, or ReasonHealthy.
	Reason string `json:"reason"`
	// Message says what is wrong, and with which subjects; it is empty if nothing is.
	Message string `json:"message,omitempty"`
	// Codes are those of all findings whose health is False or Progressing, sorted, each
	// once.
	Codes []string `json:"codes,omitempty"`
	// Subjects are all subjects, the worst first, and then by name.
	Subjects []SubjectOverview `json:"subjects"`
	// RecheckAt is when the overview changes although no subject does, because a subject
	// becomes stale. Zero means never.
	RecheckAt time.Time `json:"-"`
}

// SubjectOverview is the summary of one subject.
type SubjectOverview struct {
	// Name is the name of the subject, such as "namespace/name" for an object.
	Name string `json:"name"`
	// Status is the worst of its findings.
	Status healthcheck.Status `json:"status"`
	// Findings has one finding for each condition, the worst first, and then by type.
	Findings []Finding `json:"conditions"`
}

// Finding is what one condition of a subject says, or why it does not count.
type Finding struct {
	// Type is the type of the condition; it is empty if the finding is about the subject as a
	// whole.
	Type string `json:"type,omitempty"`
	// Negative says that the type is in Subject.Negative: True is not healthy.
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

// Healthy reports whether the status is True, there are subjects, each has findings, and all
// findings are True, or False if they are negative. A skipped finding does not count. The
// status alone is not enough.
func (o Overview) Healthy() bool {
	return o.Status == healthcheck.True && len(o.Subjects) > 0 && !slices.ContainsFunc(o.Subjects, func(s SubjectOverview) bool {
		return s.Status != healthcheck.True || s.worst() != healthcheck.True
	})
}

// worst returns the worst status of the findings; Skipped if none of them counts.
func (s SubjectOverview) worst() healthcheck.Status {
	worst := healthcheck.Skipped
	for _, finding := range s.Findings {
		if severer(finding.health(), worst) < 0 {
			worst = finding.health()
		}
	}
	return worst
}
