package soak

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
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

// longestGap returns the longest time in s that none of the others covers. s must have an end.
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

// overdue returns the span in which Sickbay should have acted on a sickness.
func (l *Ledger) overdue(r *Record, sick Sickness) Span {
	return sick.until(l.End, r.Marked.At, r.Gone)
}

// excuse is a reason why Sickbay did nothing, and when it held.
type excuse struct {
	why   Fact
	spans []Span
}

// holds reports whether the excuse held at any time in a span.
func (e excuse) holds(s Span) bool { return len(common([]Span{s}, e.spans)) > 0 }

// excuses returns all excuses for a Machine. A pause must be both true and reported.
func (l *Ledger) excuses(name client.ObjectKey, a Allowances) []excuse {
	cluster := l.Machines[name].Cluster
	return []excuse{
		{Down, l.Times[About{Fact: Down}]},
		{Silent, l.blind(cluster, a)},
		{Skip, l.Times[About{Skip, name}]},
		{Paused, common(l.Times[About{SaysPaused, cluster}], l.Times[About{Paused, cluster}])},
		{SaysRestricted, l.Times[About{SaysRestricted, cluster}]},
		{SaysWaiting, l.Times[About{SaysWaiting, name}]},
		{SaysQueued, l.Times[About{SaysQueued, name}]},
	}
}

// blind returns when the Nodes of a cluster could not be known.
func (l *Ledger) blind(cluster client.ObjectKey, a Allowances) []Span {
	spans := slices.Clone(l.Times[About{Silent, cluster}])
	for i, s := range spans {
		if !s.To.IsZero() {
			spans[i].To = s.To.Add(a.Reconnect)
		}
	}
	return spans
}
