package remediation

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// depth says how far an observation goes.
type depth int

const (
	// cached reads from the caches.
	cached depth = iota
	// confirmed reads the record, the Machine and what it depends on past them.
	confirmed
	// judged reads the Node past them, too, judges the Machine anew, and looks at gate and budget.
	judged
)

// depthFor is how far has to be read before a decision may be carried out. What does something to a machine needs all; that
// an attempt or the record is over needs to be confirmed, and so does every intent: it must not rest on an old cache.
func depthFor(record *v1alpha1.MachineRemediation, decision ladder.Decision) depth {
	switch {
	case decision.Act.Begins():
		return judged
	case decision.Act == ladder.Close, decision.Act == ladder.None && !decision.Store:
		return cached
	case decision.Act != ladder.None:
		return confirmed
	case decision.Status.CompletionTime != nil, overs(decision.Status) > overs(record.Status), len(decision.Status.Attempts) > len(record.Status.Attempts):
		return confirmed
	}
	return cached
}

// overs is how many attempts are over.
func overs(s v1alpha1.MachineRemediationStatus) int {
	n := 0
	for i := range s.Attempts {
		if s.Attempts[i].EndTime != nil {
			n++
		}
	}
	return n
}
