package explore

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// Plant is a bug that is put into the controllers on purpose, by changing what they work with. The explorer has to find it.
type Plant struct {
	Name string
	// About says in one sentence what is wrong.
	About string
	// Seed is that of a history which shows it, so that the search need not be long; 0 is as good as 1.
	Seed uint64
	// World is the one to look in.
	World *Spec
	// Rule is the one that it breaks.
	Rule string
	// Fault is the number of the fault of old that it brings back; 0 is none of the five.
	Fault int
	// change is what is wrong.
	change func(*process, parts) parts
	// hasty has the reboot controller carry out a RebootRemediation before its record has stored that it made it.
	hasty bool
	// foretells is what is wrong with what explain says; nil if nothing is.
	foretells func([]explain.Upcoming) []explain.Upcoming
}

func (p *Plant) parts(process *process, with parts) parts {
	if p == nil || p.change == nil {
		return with
	}
	return p.change(process, with)
}

// PlantNamed returns a plant; nil for no name.
func PlantNamed(name string) (*Plant, error) {
	if name == "" {
		return nil, nil
	}
	for _, plant := range Plants {
		if plant.Name == name {
			return plant, nil
		}
	}
	return nil, fmt.Errorf("there is no planted bug %q", name)
}

// FindPlant draws histories of the world of a planted bug, one after the other, until one breaks its rule.
func FindPlant(plant *Plant, most int) (searched *Searched, found bool) {
	searched = &Searched{}
	first := max(1, plant.Seed)
	for seed := first; seed < first+uint64(most); seed++ {
		result := run(plant.World, plant, newRandom(seedOf(plant.World, seed)), nil)
		searched.count(result)
		if result.Failure == nil {
			continue
		}
		searched.Found = []Found{{World: plant.World, Plant: plant, Seed: seed, Result: result}}
		if result.Failure.Rule == plant.Rule {
			return searched, true
		}
	}
	return searched, false
}
