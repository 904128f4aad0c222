package explore

import (
	"hash/fnv"
	"slices"
	"sync"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Random runs histories with the seeds from first on, until that many have broken a rule.
func Random(spec *worlds.Spec, plant *history.Plant, first uint64, runs, failures, workers int) *Searched {
	var group sync.WaitGroup
	var mu sync.Mutex
	next, searched := uint64(0), &Searched{}
	draw := func() (seed uint64, over bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return first + next - 1, next > uint64(runs) || len(searched.Found) >= failures
	}
	for range workers {
		group.Go(func() {
			for seed, over := draw(); !over; seed, over = draw() {
				result := run(spec, plant, schedule.NewRandom(seedOf(spec, seed)), nil)
				mu.Lock()
				searched.count(result)
				if result.Failure != nil {
					searched.Found = append(searched.Found, Found{spec, plant, seed, result})
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return searched
}

// Shrink removes deviations as long as the same rule is still broken.
func Shrink(spec *worlds.Spec, plant *history.Plant, found history.Result) history.Result {
	for again := true; again; {
		again = false
		for i := range slices.Backward(found.Schedule) {
			if i >= len(found.Schedule) {
				continue
			}
			less := run(spec, plant, schedule.NewReplay(found.Schedule.Without(i)), nil)
			if less.Failure != nil && less.Failure.Rule == found.Failure.Rule && len(less.Schedule) < len(found.Schedule) {
				found, again = less, true
			}
		}
	}
	return found
}

// seedOf gives each world its own histories.
func seedOf(spec *worlds.Spec, seed uint64) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(spec.Name))
	return hash.Sum64() + seed
}

// FindPlant draws histories of a planted bug's world, one after the other, until one breaks its rule.
func FindPlant(plant *history.Plant, most int) (searched *Searched, found bool) {
	searched = &Searched{}
	first := max(1, plant.Seed)
	for seed := first; seed < first+uint64(most); seed++ {
		result := run(plant.World, plant, schedule.NewRandom(seedOf(plant.World, seed)), nil)
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
