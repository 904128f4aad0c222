package soak

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Summary is what a ledger holds, in numbers.
type Summary struct {
	// Machines that ever were, and those of them that were marked for their owner.
	Machines, Marked int
	// Due are the times that a machine was sick beyond its deadline. They add up from those Remedied, those that had Recovered
	// before, and those that were Left at the end.
	Due, Remedied, Recovered, Left int
	// Reasons is how many of those due had to wait for a reason, by each.
	Reasons map[Fact]int
	// Delays are how long after its deadline a machine was marked that nothing hindered, in order.
	Delays []time.Duration
	// AfterSilence are how long after the end of its cluster's silence a machine was marked that was due by then, in order.
	AfterSilence []time.Duration
}

// Summarize adds up.
func Summarize(l *Ledger, a Allowances) Summary {
	s := Summary{Machines: len(l.Machines), Reasons: map[Fact]int{}}
	for name, r := range l.Machines {
		if !r.Marked.At.IsZero() {
			s.Marked++
		}
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

// reason notes what hindered, or how long it took.
func (s *Summary) reason(l *Ledger, name client.ObjectKey, overdue Span, a Allowances) {
	hindered := slices.ContainsFunc(l.excuses(name, a), func(e excuse) bool { return e.holds(overdue) })
	// How long it took to reconnect is told apart.
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
