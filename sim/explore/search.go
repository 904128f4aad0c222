package explore

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
)

// Found is a run that breaks a rule.
type Found struct {
	World string
	Seed  uint64
	Result
}

// Random lives through histories with the seeds from first on, until one breaks a rule.
func Random(spec *Spec, plant *Plant, first uint64, runs, workers int) (searched Searched) {
	var group sync.WaitGroup
	var mu sync.Mutex
	next := uint64(0)
	for range workers {
		group.Go(func() {
			for {
				mu.Lock()
				seed := first + next
				over := next >= uint64(runs) || len(searched.Found) > 0
				next++
				mu.Unlock()
				if over {
					return
				}
				result := run(spec, plant, newRandom(seedOf(spec, seed)), nil)
				mu.Lock()
				searched.count(result)
				if result.Failure != nil {
					searched.Found = append(searched.Found, Found{spec.Name, seed, result})
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return searched
}

// Searched says what was searched.
type Searched struct {
	Runs, Points, Deviations int
	Found                    []Found
}

// String says it in one line.
func (s Searched) String() string {
	return fmt.Sprintf("%6d histories, %8d points, %6d deviations", s.Runs, s.Points, s.Deviations)
}

func (s *Searched) count(r Result) {
	s.Runs++
	s.Points += r.Points
	s.Deviations += len(r.Schedule)
}

// Shrink leaves out deviations for as long as the same rule is broken.
func Shrink(spec *Spec, plant *Plant, found Result) Result {
	for again := true; again; {
		again = false
		for i := range slices.Backward(found.Schedule) {
			if i >= len(found.Schedule) {
				continue
			}
			less := run(spec, plant, newReplay(found.Schedule.without(i)), nil)
			if less.Failure != nil && less.Failure.Rule == found.Failure.Rule && len(less.Schedule) < len(found.Schedule) {
				found, again = less, true
			}
		}
	}
	return found
}

// seedOf gives each world histories of its own.
func seedOf(spec *Spec, seed uint64) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(spec.Name))
	return hash.Sum64() + seed
}
