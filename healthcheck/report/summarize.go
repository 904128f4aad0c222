package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// maxNamed is the maximum number of problems in the message of an overview. Its subjects
// contain all of them.
const maxNamed = 10

// Summarize makes one overview of all subjects, as they read at now. It does not change
// them. The overview does not depend on their order. Without subjects it is Unknown with
// ReasonNoSubjects.
func Summarize(now time.Time, subjects ...Subject) Overview {
	if len(subjects) == 0 {
		return Overview{
			Status: healthcheck.Unknown, Reason: ReasonNoSubjects, Message: "there is nothing to report on",
			Subjects: []SubjectOverview{},
		}
	}
	o := Overview{Subjects: make([]SubjectOverview, len(subjects))}
	for i, subject := range subjects {
		found := findings(now, subject)
		o.Subjects[i] = SubjectOverview{Name: subject.Name, Status: found[0].health(), Findings: found}
		if staleAt := subject.staleAt(); now.Before(staleAt) {
			o.RecheckAt = healthcheck.Earliest(o.RecheckAt, staleAt)
		}
	}
	slices.SortFunc(o.Subjects, compareSubjects)
	o.Status, o.Reason = o.Subjects[0].Status, ReasonHealthy
	if o.Status != healthcheck.True {
		o.Reason = o.Subjects[0].Findings[0].Reason
		o.Message = problems(o)
	}
	o.Codes = codes(o)
	return o
}

// compareSubjects sorts the worst first; the other fields make the order total.
func compareSubjects(a, b SubjectOverview) int {
	return cmp.Or(severer(a.Status, b.Status), cmp.Compare(a.Name, b.Name), slices.CompareFunc(a.Findings, b.Findings, compareFindings))
}

// problems returns a text with all findings of the worst status.
func problems(o Overview) string {
	var named []string
	surplus := 0
	for _, subject := range o.Subjects {
		for _, f := range subject.Findings {
			switch {
			case f.health() != o.Status:
			case len(named) == maxNamed:
				surplus++
			default:
				named = append(named, problem(subject.Name, f))
			}
		}
	}
	if surplus > 0 {
		named = append(named, fmt.Sprintf("and %d more", surplus))
	}
	return strings.Join(named, "; ")
}

func problem(subject string, f Finding) string {
	text := subject
	if f.Type != "" {
		text += " " + f.Type
	}
	return text + ": " + cmp.Or(f.Message, f.Reason)
}

// codes returns the codes of all problems.
func codes(o Overview) []string {
	var all []string
	for _, subject := range o.Subjects {
		for _, f := range subject.Findings {
			if health := f.health(); health == healthcheck.False || health == healthcheck.Progressing {
				all = append(all, f.Codes...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
