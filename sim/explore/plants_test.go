package explore

import (
	"flag"
	"slices"
	"testing"
)

// plants asks for the search for planted bugs, which takes minutes: go test ./explore -args -plants.
var plants = flag.Bool("plants", false, "search for planted bugs, too")

// TestPlants: the explorer finds each bug that is planted.
func TestPlants(t *testing.T) {
	if !*plants {
		t.Skip("it takes minutes; -args -plants asks for it")
	}
	for _, plant := range Plants {
		t.Run(plant.Name, func(t *testing.T) {
			t.Parallel()
			searched := Random(plant.World, plant, 1, 2000, 1)
			if len(searched.Found) == 0 {
				t.Fatalf("not found: %s; %s", plant.About, searched)
			}
			found := searched.Found[0]
			t.Logf("after %d histories: %s", searched.Runs, found.Story())
			if !slices.Contains(plant.Rules, found.Failure.Rule) {
				t.Errorf("found as %q, which is none of %q", found.Failure.Rule, plant.Rules)
			}
		})
	}
}

// TestWorlds: without a planted bug, the first histories of each world break no rule.
func TestWorlds(t *testing.T) {
	for _, spec := range Worlds {
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			if searched := Random(spec, nil, 1, 3, 1); len(searched.Found) > 0 {
				t.Error(searched.Found[0].Story())
			}
		})
	}
}
