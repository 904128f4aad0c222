package history

import (
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Plant is a bug that is planted in the controllers by changing what they work with. The explorer must find it.
type Plant struct {
	Name string
	// About says in one sentence what is wrong.
	About string
	// Seed is the seed of a history that shows it, to keep the search short; 0 is the same as 1.
	Seed uint64
	// World is the world to search.
	World *worlds.Spec
	// Rule is the rule that it breaks.
	Rule string
	// Fault is the number of the fault that it brings back, of those that Sickbay had before it kept records; 0 if it brings back none:
	//
	//  1. a pause took effect too late
	//  2. a machine that could not be repaired held up all others
	//  3. a request was forgotten when the templateRef changed
	//  4. the gate counted machines by their stored verdicts
	//  5. a mark that no owner answered kept its slot, and nobody saw why others waited
	Fault int
	// Change plants the bug.
	Change func(*Process, Parts) Parts
	// Predicts falsifies explain's predictions; nil leaves them alone.
	Predicts func([]explain.Upcoming) []explain.Upcoming
}

func (p *Plant) parts(process *Process, with Parts) Parts {
	if p == nil || p.Change == nil {
		return with
	}
	return p.Change(process, with)
}
