package soak

import (
	"slices"
	"time"
)

// Span is a time in which something was true. Without an end, it still is.
type Span struct{ From, To time.Time }

// holds reports whether a moment is in the span.
func (s Span) holds(t time.Time) bool {
	return !t.Before(s.From) && (s.To.IsZero() || t.Before(s.To))
}

// common returns the overlap of two spans; its end may be before its beginning.
func (s Span) common(other Span) Span {
	if other.From.After(s.From) {
		s.From = other.From
	}
	if s.To.IsZero() || (!other.To.IsZero() && other.To.Before(s.To)) {
		s.To = other.To
	}
	return s
}

// common returns the overlaps of two lists of spans.
func common(a, b []Span) []Span {
	var both []Span
	for _, s := range a {
		for _, other := range b {
			if c := s.common(other); c.To.IsZero() || c.From.Before(c.To) {
				both = append(both, c)
			}
		}
	}
	return both
}

// longestGap returns the longest time in s that none of the others covers. s must have an
// end.
func longestGap(s Span, others []Span) time.Duration {
	others = slices.SortedFunc(slices.Values(others), func(a, b Span) int { return a.From.Compare(b.From) })
	longest, at := time.Duration(0), s.From
	for _, other := range others {
		if other.From.After(s.To) {
			break
		}
		longest = max(longest, other.From.Sub(at))
		if other.To.IsZero() {
			return longest
		}
		if other.To.After(at) {
			at = other.To
		}
	}
	return max(longest, s.To.Sub(at))
}
