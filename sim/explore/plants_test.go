package explore

import (
	"slices"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/plants"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// mostHistories is how many histories the search for a planted bug may take.
const mostHistories = 1000

// TestPlants: the explorer finds each planted bug, and names the right rule.
func TestPlants(t *testing.T) {
	for _, plant := range plants.All {
		t.Run(plant.Name, func(t *testing.T) {
			t.Parallel()
			searched, ok := FindPlant(plant, mostHistories)
			if !ok {
				t.Fatalf("not found: %s; %v %s", plant.About, searched, storyOf(searched))
			}
			t.Logf("after %d histories: %s", searched.Runs, storyOf(searched))
		})
	}
}

func storyOf(searched *Searched) string {
	if len(searched.Found) == 0 {
		return ""
	}
	return "found: " + searched.Found[0].Story()
}

// unplanted are the rules that no planted bug breaks yet.
var unplanted = []string{rules.Writer, rules.Grant, rules.Rest, rules.Recovery, rules.Cache}

// TestRulesHavePlants: some planted bug breaks each rule but those, and some planted bug brings back each fault of history.Plant.
func TestRulesHavePlants(t *testing.T) {
	for _, rule := range rules.All {
		planted := slices.ContainsFunc(plants.All, func(p *history.Plant) bool { return p.Rule == rule })
		if planted == slices.Contains(unplanted, rule) {
			t.Errorf("that a planted bug breaks the rule %q is %t", rule, planted)
		}
	}
	for fault := 1; fault <= 5; fault++ {
		if !slices.ContainsFunc(plants.All, func(p *history.Plant) bool { return p.Fault == fault }) {
			t.Errorf("no planted bug brings back fault %d", fault)
		}
	}
}
