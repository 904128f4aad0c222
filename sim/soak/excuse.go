package soak

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// overdue is the time in which something should have been done about a sickness.
func (l *Ledger) overdue(r *Record, sick Sickness) Span {
	s := Span{From: sick.Deadline, To: l.End}
	for _, end := range []time.Time{sick.Ended, r.Marked.At, r.Gone} {
		if !end.IsZero() && end.Before(s.To) {
			s.To = end
		}
	}
	return s
}

// excuse is why nothing is done, and when that holds.
type excuse struct {
	why   Fact
	spans []Span
}

// holds reports whether it holds at some time of a span.
func (e excuse) holds(s Span) bool { return len(common([]Span{s}, e.spans)) > 0 }

// excuses are all that a Machine has. That it is paused, or to be skipped, must be true as well as said.
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

// blind is when the Nodes of a cluster cannot be known.
func (l *Ledger) blind(cluster client.ObjectKey, a Allowances) []Span {
	spans := slices.Clone(l.Times[About{Silent, cluster}])
	for i, s := range spans {
		if !s.To.IsZero() {
			spans[i].To = s.To.Add(a.Reconnect)
		}
	}
	return spans
}

// overdue reports whether the machine was sick for long enough at a moment.
func (r *Record) overdue(at time.Time, a Allowances) bool {
	return slices.ContainsFunc(r.Sick, func(s Sickness) bool {
		return !at.Before(s.Deadline) && (s.Ended.IsZero() || !at.After(s.Ended.Add(a.Overlap)))
	})
}

// wasOverdue reports whether it would have been, had it not recovered.
func (r *Record) wasOverdue(at time.Time) bool {
	return slices.ContainsFunc(r.Sick, func(s Sickness) bool { return !at.Before(s.Deadline) })
}
