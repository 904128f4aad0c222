package history

import (
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Plant is a bug that is put into the controllers on purpose, by changing what they work with. The explorer has to find it.
type Plant struct {
	Name string
	// About says in one sentence what is wrong.
	About string
	// Seed is that of a history which shows it, so that the search need not be long; 0 is as good as 1.
	Seed uint64
	// World is the one to look in.
	World *worlds.Spec
	// Rule is the one that it breaks.
	Rule string
	// Fault is the number of the fault of old that it brings back; 0 is none of the five.
	Fault int
	// Change is what is wrong.
	Change func(*Process, Parts) Parts
	// Hasty has the reboot controller carry out a RebootRemediation before its record has stored that it made it.
	Hasty bool
	// Predicts is what is wrong with what explain says; nil if nothing is.
	Predicts func([]explain.Upcoming) []explain.Upcoming
}

func (p *Plant) parts(process *Process, with Parts) Parts {
	if p == nil || p.Change == nil {
		return with
	}
	return p.Change(process, with)
}
