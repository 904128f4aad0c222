package explore

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Found is a run that breaks a rule.
type Found struct {
	World *worlds.Spec
	// Plant is the planted bug; nil if there was none.
	Plant *history.Plant
	// Seed is the seed of a history that was drawn; 0 for one that was enumerated.
	Seed uint64
	history.Result
}

// Command returns the command that replays the history.
func (f Found) Command() string {
	plant := ""
	if f.Plant != nil {
		plant = fmt.Sprintf(" -plant=%q", f.Plant.Name)
	}
	return fmt.Sprintf("cd sim && go run ./cmd/explore%s -world=%q -replay=%s", plant, f.World.Name, f.Schedule)
}

// Shrink removes deviations as long as the same rule is still broken.
func (f Found) Shrink() Found {
	f.Result = Shrink(f.World, f.Plant, f.Result)
	return f
}

// Searched summarizes a search.
type Searched struct {
	Runs, Points, Deviations int
	// Steps counts the steps: a Reconcile, somebody's work, time that passes.
	Steps int
	// Virtual is how much time passed in the worlds.
	Virtual time.Duration
	// States estimates how many states of the worlds were seen.
	States States
	Found  []Found
}

// String describes the search in one line.
func (s *Searched) String() string {
	return fmt.Sprintf("%7d histories, %8d steps, %8d deviations at %9d points, %7.0f days, %8d states",
		s.Runs, s.Steps, s.Deviations, s.Points, s.Virtual.Hours()/24, s.States.Count())
}

func (s *Searched) count(r history.Result) {
	s.Runs++
	s.Points += r.Points
	s.Deviations += len(r.Schedule)
	s.Steps += r.Steps
	s.Virtual += r.Virtual
	s.States.see(r.States)
}

// Add adds another search.
func (s *Searched) Add(other *Searched) {
	s.Runs, s.Points, s.Deviations, s.Steps = s.Runs+other.Runs, s.Points+other.Points, s.Deviations+other.Deviations, s.Steps+other.Steps
	s.Virtual += other.Virtual
	s.States.merge(&other.States)
	s.Found = append(s.Found, other.Found...)
}
