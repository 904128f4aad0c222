package gardener

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// findings are the results of the checks of a condition, by status.
type findings struct {
	failed, unsuccessful, progressing []healthcheck.NamedResult
	successful                        int
	// codes are those of unsuccessful and progressing results, each once.
	codes      []string
	hibernated bool
}

// reasonHibernated marks results of checks that were not run. It is not stored.
const reasonHibernated = "Hibernated"

const messageHibernated = "Shoot is hibernated"

func sortOut(results []healthcheck.NamedResult) findings {
	var f findings
	for _, r := range results {
		switch r.Status {
		case healthcheck.True:
			f.successful++
			f.hibernated = f.hibernated || r.Reason == reasonHibernated
		case healthcheck.False:
			f.unsuccessful = append(f.unsuccessful, r)
			f.code(r)
		case healthcheck.Progressing:
			f.progressing = append(f.progressing, r)
			f.code(r)
		case healthcheck.Skipped:
		default:
			f.failed = append(f.failed, r)
		}
	}
	return f
}

func (f *findings) code(r healthcheck.NamedResult) {
	for _, code := range r.Codes {
		if !slices.Contains(f.codes, code) {
			f.codes = append(f.codes, code)
		}
	}
}

// concluder returns the function that makes a condition by the rules of Gardener.
func concluder(texts Texts, kind string) func(healthcheck.Findings) healthcheck.Result {
	return func(found healthcheck.Findings) healthcheck.Result {
		merged := byCondition(found)
		if merged.Status == healthcheck.Skipped {
			return merged
		}
		f := sortOut(found.Results)
		merged.Codes = f.codes
		switch {
		case len(f.failed) > 0:
			merged.Status, merged.Reason = healthcheck.Unknown, ReasonCheckError
			merged.Codes, merged.Deadline = nil, time.Time{}
		case merged.Status == healthcheck.True:
			merged.Reason = ReasonSuccessful
		case merged.Status == healthcheck.Progressing:
			merged.Reason = ReasonProgressing
		default:
			merged.Reason = ReasonUnsuccessful
		}
		merged.Message = texts.summarize(f, merged.Status, kind)
		return merged
	}
}

// wordsOf returns a Summary with Gardener's texts, for the rules of package healthcheck.
func wordsOf(texts Texts, kind string) healthcheck.Summary {
	return func(results []healthcheck.NamedResult, merged healthcheck.Result) string {
		return texts.summarize(sortOut(results), merged.Status, kind)
	}
}
