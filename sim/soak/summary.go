package soak

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Summary is a ledger in numbers.
type Summary struct {
	// Due counts how often a machine was sick beyond its deadline. It is the sum of those Remedied, those that had Recovered
	// before, and those Left at the end.
	Due, Remedied, Recovered, Left int
	// Reasons counts how many of those had to wait, by reason.
	Reasons map[Fact]int
	// Delays are the times from deadline to mark where nothing hindered the mark, sorted.
	Delays []time.Duration
	// AfterSilence are the times from the end of a cluster's silence to the mark of a machine that was due by then, sorted.
	AfterSilence []time.Duration
}

// Summarize summarizes a ledger.
func Summarize(l *Ledger, a Allowances) Summary {
	s := Summary{Reasons: map[Fact]int{}}
	for name, r := range l.Machines {
		for _, sick := range r.Sick {
			overdue := l.overdue(r, sick)
			if !overdue.From.Before(overdue.To) {
				continue
			}
			s.Due++
			switch overdue.To {
			case r.Marked.At:
				s.Remedied++
			case sick.Ended:
				s.Recovered++
			default:
				s.Left++
			}
			s.reason(l, name, overdue, a)
		}
	}
	slices.Sort(s.Delays)
	slices.Sort(s.AfterSilence)
	return s
}

// reason records what hindered a mark, or how long it took.
func (s *Summary) reason(l *Ledger, name client.ObjectKey, overdue Span, a Allowances) {
	hindered := slices.ContainsFunc(l.excuses(name, a), func(e excuse) bool { return e.holds(overdue) })
	// The time to reconnect is reported separately.
	for _, e := range l.excuses(name, Allowances{}) {
		if e.holds(overdue) {
			s.Reasons[e.why]++
		}
	}
	r := l.Machines[name]
	if overdue.To != r.Marked.At {
		return
	}
	if !hindered {
		s.Delays = append(s.Delays, overdue.To.Sub(overdue.From))
	}
	for _, silence := range l.Times[About{Silent, r.Cluster}] {
		if overdue.holds(silence.To) {
			s.AfterSilence = append(s.AfterSilence, overdue.To.Sub(silence.To))
		}
	}
}
