package explore

import (
	"slices"
	"testing"
)

// TestPlants: the explorer finds each bug that is planted.
func TestPlants(t *testing.T) {
	for _, plant := range Plants {
		t.Run(plant.Name, func(t *testing.T) {
			t.Parallel()
			searched := Random(plant.World, plant, max(1, plant.Seed), 2000, 1)
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
