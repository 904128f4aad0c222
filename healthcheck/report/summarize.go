package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// maxNamed is the maximum number of problems in the message of an overview. Its sources
// contain all of them.
const maxNamed = 10

// Summarize makes one overview of all sources, as they read at now. It does not change
// them. The overview does not depend on their order. Without sources it is Unknown with
// ReasonNoSources.
func Summarize(now time.Time, sources ...Source) Overview {
	if len(sources) == 0 {
		return Overview{
			Status: healthcheck.Unknown, Reason: ReasonNoSources, Message: "there is nothing to report on",
			Sources: []SourceOverview{},
		}
	}
	o := Overview{Sources: make([]SourceOverview, len(sources))}
	for i, source := range sources {
		found := findings(now, source)
		o.Sources[i] = SourceOverview{Name: source.Name, Status: found[0].health(), Findings: found}
		if staleAt := source.staleAt(); now.Before(staleAt) {
			o.RecheckAt = healthcheck.Earliest(o.RecheckAt, staleAt)
		}
	}
	slices.SortFunc(o.Sources, compareSources)
	o.Status, o.Reason = o.Sources[0].Status, ReasonHealthy
	if o.Status != healthcheck.True {
		o.Reason = o.Sources[0].Findings[0].Reason
		o.Message = problems(o)
	}
	o.Codes = codes(o)
	return o
}

// compareSources sorts the worst first; the other fields make the order total.
func compareSources(a, b SourceOverview) int {
	return cmp.Or(severer(a.Status, b.Status), cmp.Compare(a.Name, b.Name), slices.CompareFunc(a.Findings, b.Findings, compareFindings))
}

// problems returns a text with all findings of the worst status.
func problems(o Overview) string {
	var named []string
	surplus := 0
	for _, source := range o.Sources {
		for _, f := range source.Findings {
			switch {
			case f.health() != o.Status:
			case len(named) == maxNamed:
				surplus++
			default:
				named = append(named, problem(source.Name, f))
			}
		}
	}
	if surplus > 0 {
		named = append(named, fmt.Sprintf("and %d more", surplus))
	}
	return strings.Join(named, "; ")
}

func problem(source string, f Finding) string {
	text := source
	if f.Type != "" {
		text += " " + f.Type
	}
	return text + ": " + cmp.Or(f.Message, f.Reason)
}

// codes returns the codes of all problems.
func codes(o Overview) []string {
	var all []string
	for _, source := range o.Sources {
		for _, f := range source.Findings {
			if health := f.health(); health == healthcheck.False || health == healthcheck.Progressing {
				all = append(all, f.Codes...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
