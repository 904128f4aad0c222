// Command explore searches the histories of small worlds for one in which Sickbay breaks a rule.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/sickbay-dev/sickbay/sim/cmd"
	"github.com/sickbay-dev/sickbay/sim/explore"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/plants"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

type options struct {
	world      string
	schedules  int
	seed       uint64
	failures   int
	depth      int
	deviations int
	plants     bool
	plant      string
	replay     string
	workers    int
}

func main() {
	// The histories produce much garbage, and little that stays.
	debug.SetGCPercent(1000)
	cmd.Exit(run(os.Args[1:], os.Stdout))
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("explore", flag.ContinueOnError)
	flags.StringVar(&o.world, "world", "", "search this world only")
	flags.IntVar(&o.schedules, "schedules", 20000, "how many histories to draw in all")
	flags.Uint64Var(&o.seed, "seed", 1, "the first seed")
	flags.IntVar(&o.failures, "failures", 1, "go to the next world after so many histories that break a rule")
	flags.IntVar(&o.deviations, "deviations", 2, "in small worlds, deviate once anywhere, and at most so many times at the first points; 0 leaves them out")
	flags.IntVar(&o.depth, "depth", 12, "how many are the first points of a small world")
	flags.BoolVar(&o.plants, "plants", false, "find all planted bugs, too")
	flags.StringVar(&o.plant, "plant", "", "put this bug into the controllers")
	flags.StringVar(&o.replay, "replay", "", "tell this history of the world: point:option,...")
	flags.IntVar(&o.workers, "workers", 2, "how many histories at once")
	return o, flags.Parse(args)
}

func run(args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	plant, err := plants.Named(o.plant)
	if err != nil {
		return err
	}
	random, small := worlds.Chosen(worlds.All, o.world), worlds.Chosen(worlds.Small, o.world)
	if plant != nil {
		random, small = []*worlds.Spec{plant.World}, nil
	}
	if o.replay != "" {
		return o.tell(out, append(random, small...), plant)
	}
	if len(random)+len(small) == 0 {
		return fmt.Errorf("there is no world %q", o.world)
	}
	if o.deviations == 0 {
		small = nil
	}
	s := search{options: o, out: out, plant: plant, began: time.Now()}
	s.random(random)
	s.small(small)
	if o.plants {
		s.plants()
	}
	return s.sum()
}

// tell tells one history.
func (o options) tell(out io.Writer, specs []*worlds.Spec, plant *history.Plant) error {
	if len(specs) != 1 {
		return errors.New("name the world with -world")
	}
	deviations, err := schedule.Parse(o.replay)
	if err != nil {
		return err
	}
	result := explore.Replay(specs[0], plant, deviations, func(line string) { _, _ = fmt.Fprintln(out, line) })
	_, _ = fmt.Fprintln(out, result.Story())
	if result.Failure != nil {
		return result.Failure
	}
	return nil
}
