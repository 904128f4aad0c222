package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/plants"
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

// TestRulesHavePlants: for each rule, and each historical fault, some planted bug breaks
// it.
func TestRulesHavePlants(t *testing.T) {
	for rule := 1; rule <= 14; rule++ {
		if !slices.ContainsFunc(plants.All, func(p *history.Plant) bool { return strings.HasPrefix(p.Rule, fmt.Sprintf("%d: ", rule)) }) {
			t.Errorf("no planted bug breaks rule %d", rule)
		}
	}
	for fault := 1; fault <= 5; fault++ {
		if !slices.ContainsFunc(plants.All, func(p *history.Plant) bool { return p.Fault == fault }) {
			t.Errorf("no planted bug brings back fault %d", fault)
		}
	}
}
