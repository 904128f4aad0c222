// Command explore searches the histories of small worlds for one in which Sickbay breaks a rule.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/sickbay-dev/sickbay/sim/explore"
)

type options struct {
	world      string
	schedules  int
	seed       uint64
	depth      int
	deviations int
	plant      string
	replay     string
	workers    int
}

func main() {
	var o options
	flag.StringVar(&o.world, "world", "", "search this world only")
	flag.IntVar(&o.schedules, "schedules", 20000, "how many histories to draw in all")
	flag.Uint64Var(&o.seed, "seed", 1, "the first seed")
	flag.IntVar(&o.depth, "depth", 1000, "in small worlds, deviate at this many points of a history, the first ones")
	flag.IntVar(&o.deviations, "deviations", 1, "in small worlds, deviate so many times at most")
	flag.StringVar(&o.plant, "plant", "", "put this bug into the controllers")
	flag.StringVar(&o.replay, "replay", "", "tell this history of the world: point:option,...")
	flag.IntVar(&o.workers, "workers", 2, "how many histories at once")
	flag.Parse()
	// The histories leave much behind that is soon forgotten, and little that lasts.
	debug.SetGCPercent(1000)
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o options) run() error {
	plant, err := explore.PlantNamed(o.plant)
	if err != nil {
		return err
	}
	random, small := explore.Chosen(explore.Worlds, o.world), explore.Chosen(explore.SmallWorlds, o.world)
	if plant != nil && o.world == "" {
		random, small = []*explore.Spec{plant.World}, nil
	}
	if o.replay != "" {
		return o.tell(append(random, small...), plant)
	}
	if len(random)+len(small) == 0 {
		return fmt.Errorf("there is no world %q", o.world)
	}
	broken, began := 0, time.Now()
	for _, spec := range random {
		broken += report(spec, plant, func() explore.Searched {
			return explore.Random(spec, plant, o.seed, spec.Share(random, o.schedules), o.workers)
		})
	}
	for _, spec := range small {
		broken += report(spec, plant, func() explore.Searched {
			return explore.Exhaust(spec, plant, o.depth, o.deviations, o.workers)
		})
	}
	fmt.Printf("all worlds: %s\n", time.Since(began).Round(time.Second))
	if broken > 0 {
		return errors.New("a rule is broken")
	}
	return nil
}

// tell tells one history.
func (o options) tell(worlds []*explore.Spec, plant *explore.Plant) error {
	if len(worlds) != 1 {
		return errors.New("name the world with -world")
	}
	schedule, err := explore.ParseSchedule(o.replay)
	if err != nil {
		return err
	}
	result := explore.Replay(worlds[0], plant, schedule, func(line string) { fmt.Println(line) })
	fmt.Println(result.Story())
	if result.Failure != nil {
		return result.Failure
	}
	return nil
}

// report searches a world and prints what was searched.
func report(spec *explore.Spec, plant *explore.Plant, search func() explore.Searched) int {
	began := time.Now()
	searched := search()
	fmt.Printf("%-15s %s in %s: %s\n", spec.Name, searched, time.Since(began).Round(100*time.Millisecond), spec.About)
	for _, found := range searched.Found {
		shrunk := explore.Shrink(spec, plant, found.Result)
		fmt.Printf("  BROKEN: %s  tell it: go run ./cmd/explore -world=%q -replay=%s\n", shrunk.Story(), spec.Name, shrunk.Schedule)
	}
	return len(searched.Found)
}
