package soak

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unrecorded finds times in which a machine was marked and still sick but had no open MachineRemediation and no stated
// reason, so nobody would go on with it. untreated covers the time before the mark.
func unrecorded(l *Ledger, name client.ObjectKey, a Allowances) []string {
	r := l.Machines[name]
	if r.Marked.At.IsZero() {
		return nil
	}
	covered := []Span{{To: r.Marked.At}}
	for _, repair := range r.Repairs {
		covered = append(covered, repair.Span)
	}
	for _, e := range l.excuses(name, a) {
		covered = append(covered, e.spans...)
	}
	var sentences []string
	for _, sick := range r.ailing(l.End) {
		if gap := longestGap(sick, covered); gap > a.Patience {
			sentences = append(sentences, fmt.Sprintf("was sick beyond its deadline at %s, was marked, and for %s had no open MachineRemediation, nor was said why",
				clock(sick.From), gap.Round(time.Second)))
		}
	}
	return sentences
}

// lingering finds MachineRemediations that stay open although their machine is healthy or gone and nothing prevents Sickbay
// from knowing that.
func lingering(l *Ledger, name client.ObjectKey, a Allowances) []string {
	r := l.Machines[name]
	covered := r.ailing(l.End)
	for _, e := range l.excuses(name, a) {
		switch e.why {
		case SaysWaiting, SaysQueued, SaysRestricted:
		default:
			covered = append(covered, e.spans...)
		}
	}
	var sentences []string
	for _, repair := range r.Repairs {
		open := repair.Span
		if open.To.IsZero() {
			open.To = l.End
		}
		if gap := longestGap(open, covered); gap > a.Patience {
			sentences = append(sentences, fmt.Sprintf("was well, or gone, and for %s MachineRemediation %s stayed open, which began at %s",
				gap.Round(time.Second), repair.Name, clock(open.From)))
		}
	}
	return sentences
}

// twofold finds MachineRemediations of one machine that are open at the same time.
func twofold(r *Record) []string {
	var sentences []string
	for i, repair := range r.Repairs {
		for _, other := range r.Repairs[:i] {
			if both := common([]Span{repair.Span}, []Span{other.Span}); len(both) > 0 {
				sentences = append(sentences, fmt.Sprintf("has two MachineRemediations at once since %s, %s and %s", clock(both[0].From), other.Name, repair.Name))
			}
		}
	}
	return sentences
}
