package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// findings returns the findings of a subject at now, the worst first.
func findings(now time.Time, s Subject) []Finding {
	if s.Err != nil {
		return []Finding{unknown("", ReasonUnreadable, s.Err.Error())}
	}
	var found []Finding
	for _, c := range s.Conditions {
		if len(s.Wants) == 0 || slices.Contains(s.Wants, c.Type) {
			found = append(found, judge(now, s, c))
		}
	}
	for _, want := range s.Wants {
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Type == want }) {
			found = append(found, unknown(want, ReasonMissing, "there is no such condition"))
		}
	}
	// A skipped condition does not count.
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.Status != healthcheck.Skipped }) {
		found = append(found, unknown("", ReasonNoConditions, "there are no conditions"))
	}
	slices.SortFunc(found, compareFindings)
	return slices.CompactFunc(found, func(a, b Finding) bool { return compareFindings(a, b) == 0 })
}

// judge returns the finding for a condition at now.
func judge(now time.Time, s Subject, c healthcheck.Condition) Finding {
	codes := slices.Clone(c.Codes)
	slices.Sort(codes)
	f := Finding{
		Type: c.Type, Negative: slices.Contains(s.Negative, c.Type), Status: c.Status, Reason: c.Reason, Message: c.Message, Codes: slices.Compact(codes),
		LastTransitionTime: c.LastTransitionTime.UTC(),
	}
	staleAt := s.staleAt()
	switch {
	case !c.Status.Valid():
		return replace(f, ReasonInvalid, fmt.Sprintf("the condition has the unknown status %q", c.Status))
	case s.StaleAfter > 0 && s.ConfirmedAt.IsZero():
		return replace(f, ReasonStale, "never confirmed; "+last(c))
	case !staleAt.IsZero() && !now.Before(staleAt):
		return replace(f, ReasonStale, fmt.Sprintf("not confirmed for %s; %s", s.StaleAfter, last(c)))
	case c.ObservedGeneration > 0 && c.ObservedGeneration < s.Generation:
		return replace(f, ReasonOutdated, "about an older generation; "+last(c))
	}
	return f
}

// replace makes a finding say why its condition does not count. The codes go with the
// cause.
func replace(f Finding, reason, message string) Finding {
	f.Status, f.Reason, f.Message, f.Codes = healthcheck.Unknown, reason, message, nil
	return f
}

// last describes a condition that does not count.
func last(c healthcheck.Condition) string {
	said := slices.DeleteFunc([]string{"it was " + string(c.Status), c.Reason, c.Message}, func(part string) bool { return part == "" })
	return strings.Join(said, ": ")
}

func unknown(conditionType, reason, message string) Finding {
	return Finding{Type: conditionType, Status: healthcheck.Unknown, Reason: reason, Message: message}
}

// compareFindings sorts the worst first; the other fields make the order total.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		severer(a.health(), b.health()), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message),
		slices.Compare(a.Codes, b.Codes), a.LastTransitionTime.Compare(b.LastTransitionTime),
	)
}
