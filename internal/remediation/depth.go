package remediation

import (
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// depth says how far an observation goes.
type depth int

const (
	// cached reads from the caches.
	cached depth = iota
	// confirmed reads the Machine and what it depends on past them.
	confirmed
	// current reads the record past them, too.
	current
	// judged reads the Node past them, too, judges the Machine anew, and looks at gate and budget.
	judged
)

// depthFor is how far has to be read before a decision may be carried out. What does something to a machine needs all, and
// what takes something back the record as it is. What is stored must not rest on an old cache either, but for the record: a
// status is bound to the one that was read, and so is the end of a record.
func depthFor(decision ladder.Decision) depth {
	switch {
	case decision.Act.Begins():
		return judged
	case decision.Act == ladder.Close:
		return cached
	case decision.Act != ladder.None:
		return current
	case decision.Store:
		return confirmed
	}
	return cached
}
