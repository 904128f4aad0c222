package soak

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// overdue returns the span in which Sickbay should have acted on a sickness.
func (l *Ledger) overdue(r *Record, sick Sickness) Span {
	s := Span{From: sick.Deadline, To: l.End}
	for _, end := range []time.Time{sick.Ended, r.Marked.At, r.Gone} {
		if !end.IsZero() && end.Before(s.To) {
			s.To = end
		}
	}
	return s
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

// overdue reports whether the machine had been sick for long enough at a moment.
func (r *Record) overdue(at time.Time, a Allowances) bool {
	return slices.ContainsFunc(r.Sick, func(s Sickness) bool {
		return !at.Before(s.Deadline) && (s.Ended.IsZero() || !at.After(s.Ended.Add(a.Overlap)))
	})
}

// wasOverdue is like overdue, but ignores recoveries.
func (r *Record) wasOverdue(at time.Time) bool {
	return slices.ContainsFunc(r.Sick, func(s Sickness) bool { return !at.Before(s.Deadline) })
}
