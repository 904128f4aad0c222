package explore

import (
	"math"
	"slices"
	"sync"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Exhaust runs all histories that deviate once, at any point, and all histories with up to the given number of
// deviations, each at one of the first points of the run. It stops after the first few that break a rule.
func Exhaust(spec *worlds.Spec, plant *history.Plant, depth, deviations, workers int) *Searched {
	e := &exhaust{spec: spec, plant: plant, depth: depth, most: deviations}
	first := e.live(nil)
	next := make(chan schedule.Schedule)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for s := range next {
				e.below(s)
			}
		})
	}
	for _, s := range first {
		next <- s
	}
	close(next)
	group.Wait()
	return &e.searched
}

type exhaust struct {
	spec        *worlds.Spec
	plant       *history.Plant
	depth, most int

	mu       sync.Mutex
	searched Searched
}

// below runs a schedule and all that begin with it.
func (e *exhaust) below(s schedule.Schedule) {
	for _, longer := range e.live(s) {
		e.below(longer)
	}
}

// live runs a schedule, and returns those with one more deviation.
func (e *exhaust) live(s schedule.Schedule) []schedule.Schedule {
	if e.over() {
		return nil
	}
	strategy := schedule.NewCounting(s, e.until(s))
	result := run(e.spec, e.plant, strategy, nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.searched.count(result)
	if result.Failure != nil {
		e.searched.Found = append(e.searched.Found, Found{World: e.spec, Plant: e.plant, Result: result})
		return nil
	}
	if len(s) >= e.most || (len(s) > 0 && s[len(s)-1].At >= e.depth) {
		return nil
	}
	var longer []schedule.Schedule
	for _, point := range strategy.Counts {
		for which := 1; which <= point.Option; which++ {
			longer = append(longer, append(slices.Clone(s), schedule.Deviation{At: point.At, Option: which}))
		}
	}
	return longer
}

// until returns the last point for one more deviation from a schedule.
func (e *exhaust) until(s schedule.Schedule) int {
	if len(s) == 0 {
		return math.MaxInt
	}
	return e.depth
}

// enough is how many runs that break a rule are reported.
const enough = 3

func (e *exhaust) over() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.searched.Found) >= enough
}
