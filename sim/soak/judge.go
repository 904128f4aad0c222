package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Allowances are the times that things may take. None of them is a claim about speed, because the computer may be busy.
type Allowances struct {
	// Patience is how long a machine may be overdue without a remedy or a reason, if nothing hinders Sickbay.
	Patience time.Duration
	// Reconnect is how long it may take until the Nodes of a cluster are known again after it was silent. Its watchers retry
	// every 30 seconds.
	Reconnect time.Duration
	// Overlap is how long Sickbay may still act on what was true just before.
	Overlap time.Duration
}

// DefaultAllowances returns the allowances of a soak.
func DefaultAllowances() Allowances {
	return Allowances{Patience: 20 * time.Second, Reconnect: time.Minute, Overlap: 5 * time.Second}
}

// Judge returns a sentence for each violation in the ledger.
func Judge(l *Ledger, a Allowances) []string {
	var violations []string
	byName := func(a, b client.ObjectKey) int { return strings.Compare(a.String(), b.String()) }
	for _, name := range slices.SortedFunc(maps.Keys(l.Machines), byName) {
		r := l.Machines[name]
		for _, sentence := range slices.Concat(
			wronglyCalled(l, r, a), wronglyMarked(l, name, a), untreated(l, name, a), wronglyEnded(r),
			unrecorded(l, name, a), lingering(l, name, a), twofold(r),
		) {
			violations = append(violations, fmt.Sprintf("Machine %s %s.", name, sentence))
		}
	}
	return violations
}

// wronglyCalled finds verdicts on machines that were not sick for long enough, or not any more. While a cluster does not
// answer, nobody can know of a recovery.
func wronglyCalled(l *Ledger, r *Record, a Allowances) []string {
	var sentences []string
	for _, said := range r.Called {
		blind := slices.ContainsFunc(l.blind(r.Cluster, a), func(s Span) bool { return s.holds(said.At) })
		if r.overdue(said.At, a) || (blind && r.wasOverdue(said.At)) {
			continue
		}
		sentences = append(sentences, fmt.Sprintf("%s at %s, and was called unhealthy then: %s", r.state(), clock(said.At), said.What))
	}
	return sentences
}

// wronglyMarked finds marks on a machine that did not need one, that was to be left alone, or whose Node cannot have been read.
func wronglyMarked(l *Ledger, name client.ObjectKey, a Allowances) []string {
	r := l.Machines[name]
	at := r.Marked.At
	if at.IsZero() {
		return nil
	}
	var sentences []string
	if !r.overdue(at, a) {
		sentences = append(sentences, fmt.Sprintf("%s at %s, and was marked for its owner then: %s", r.state(), clock(at), r.Marked.What))
	}
	for _, about := range []About{{Skip, name}, {Paused, r.Cluster}, {Silent, r.Cluster}} {
		for _, s := range l.Times[about] {
			s.From = s.From.Add(a.Overlap)
			if s.holds(at) {
				sentences = append(sentences, fmt.Sprintf("was marked for its owner at %s, while %s since %s", clock(at), about.Fact, clock(s.From.Add(-a.Overlap))))
			}
		}
	}
	return sentences
}

// untreated finds times in which a machine was overdue without a remedy or a stated reason.
func untreated(l *Ledger, name client.ObjectKey, a Allowances) []string {
	r := l.Machines[name]
	var sentences []string
	for _, sick := range r.Sick {
		overdue := l.overdue(r, sick)
		var excuses []Span
		for _, e := range l.excuses(name, a) {
			excuses = append(excuses, e.spans...)
		}
		if gap := longestGap(overdue, excuses); gap > a.Patience {
			sentences = append(sentences, fmt.Sprintf("was sick (%s) beyond its deadline at %s, and for %s nothing was done, nor was said why",
				sick.Kind, clock(sick.Deadline), gap.Round(time.Second)))
		}
	}
	return sentences
}

// wronglyEnded finds machines that somebody other than the owner deleted, and healthy machines without a healthy verdict.
func wronglyEnded(r *Record) []string {
	if !r.Gone.IsZero() && !r.Released {
		return []string{fmt.Sprintf("was deleted at %s, not by its owner", clock(r.Gone))}
	}
	if r.Gone.IsZero() && !r.Released && !r.ails() && r.Verdict != "" {
		return []string{"is well at the end, and is not called healthy: " + r.Verdict}
	}
	return nil
}

// state describes a machine that was not overdue.
func (r *Record) state() string {
	if len(r.Sick) == 0 {
		return "was healthy all the time, also"
	}
	return "was not sick beyond a deadline"
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
