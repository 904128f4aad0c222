// Command explore searches the histories of small worlds for one in which Sickbay breaks a rule.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/sickbay-dev/sickbay/sim/explore"
)

func main() {
	world := flag.String("world", "", "search this world only")
	schedules := flag.Int("schedules", 100, "how many")
	seed := flag.Uint64("seed", 1, "first seed")
	replay := flag.String("replay", "", "schedule")
	workers := flag.Int("workers", 2, "at once")
	flag.Parse()
	bad := 0
	for _, spec := range explore.Worlds {
		if *world != "" && spec.Name != *world {
			continue
		}
		if *replay != "" {
			s, err := explore.ParseSchedule(*replay)
			if err != nil {
				fmt.Println(err)
				os.Exit(2)
			}
			explore.Replay(spec, nil, s, func(line string) { fmt.Println(line) })
			continue
		}
		began := time.Now()
		searched := explore.Random(spec, nil, *seed, *schedules, *workers)
		fmt.Printf("%s: %d runs, %d points, %d deviations, %s\n", spec.Name, searched.Runs, searched.Points, searched.Deviations, time.Since(began))
		for _, found := range searched.Found {
			bad++
			fmt.Printf("  seed %d: -world=%q -replay=%s\n%s", found.Seed, spec.Name, found.Schedule, found.Story())
		}
	}
	if bad > 0 {
		os.Exit(1)
	}
}
