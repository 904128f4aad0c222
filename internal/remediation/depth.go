package remediation

import (
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

// depthFor is how far has to be read before a decision may be carried out. What does something to a machine needs all. What
// is stored or withdrawn needs to be confirmed, since it must not rest on an old cache. The end of a record does not: it is
// bound to what was read.
func depthFor(decision ladder.Decision) depth {
	switch {
	case decision.Act.Begins():
		return judged
	case decision.Act == ladder.Close:
		return cached
	case decision.Store, decision.Act != ladder.None:
		return confirmed
	}
	return cached
}
