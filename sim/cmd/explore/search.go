package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sickbay-dev/sickbay/sim/explore"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/plants"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// search prints the results of searches and sums them up.
type search struct {
	options
	out           io.Writer
	plant         *history.Plant
	began         time.Time
	all           explore.Searched
	worlds, found int
	missed        int
}

func (s *search) print(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format+"\n", args...) }

func (s *search) random(specs []*worlds.Spec) {
	for _, spec := range specs {
		s.report(spec, "drawn", func() *explore.Searched {
			return explore.Random(spec, s.plant, s.seed, spec.Share(specs, s.schedules), s.failures, s.workers)
		})
	}
}

func (s *search) small(specs []*worlds.Spec) {
	for _, spec := range specs {
		s.report(spec, fmt.Sprintf("all with one deviation, and with %d at the first %d points", s.deviations, s.depth), func() *explore.Searched {
			return explore.Exhaust(spec, s.plant, s.depth, s.deviations, s.workers)
		})
	}
}

// report searches a world and prints the result, and each history that breaks a rule with the command that tells it.
func (s *search) report(spec *worlds.Spec, how string, search func() *explore.Searched) {
	began := time.Now()
	searched := search()
	s.print("%-15s %v in %s, %s: %s", spec.Name, searched, time.Since(began).Round(100*time.Millisecond), how, spec.About)
	for _, found := range searched.Found {
		shrunk := found.Shrink()
		s.print("  BROKEN: %s  tell it: %s", shrunk.Story(), shrunk.Command())
	}
	s.worlds, s.found = s.worlds+1, s.found+len(searched.Found)
	s.all.Add(searched)
}

// mostHistories is how many histories the search for a planted bug may take.
const mostHistories = 2000

func (s *search) plants() {
	for _, plant := range plants.All {
		began := time.Now()
		searched, ok := explore.FindPlant(plant, mostHistories)
		if !ok {
			s.missed++
			s.print("planted: %-18s NOT FOUND in %d histories: %s", plant.Name, searched.Runs, plant.About)
			continue
		}
		s.print("planted: %-18s found in %4d histories, %s, by rule %s", plant.Name, searched.Runs, time.Since(began).Round(10*time.Millisecond), plant.Rule)
	}
}

func (s *search) sum() error {
	s.print("%d worlds: %v, in %s", s.worlds, &s.all, time.Since(s.began).Round(time.Second))
	if s.options.plants {
		s.print("%d planted bugs, %d of them not found", len(plants.All), s.missed)
	}
	s.print("%d rules held at each step:", len(rules.All))
	for _, rule := range rules.All {
		s.print("  %s", rule)
	}
	switch {
	case s.found > 0:
		return errors.New("a rule is broken")
	case s.missed > 0:
		return errors.New("a planted bug is not found")
	}
	return nil
}
