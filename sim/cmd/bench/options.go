package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/measure"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// options are the options of a run.
type options struct {
	quick, scale, add                                        bool
	only, subjects, fleets, out, docs, previous, prof, noise string
	rounds                                                   int
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("bench run", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false, "measure less, in three minutes")
	flags.BoolVar(&o.scale, "scale", false, "measure how much one process carries, up to 100,000 machines, without upstream")
	flags.StringVar(&o.only, "only", "", fmt.Sprintf("measure these parts alone, separated by commas, of %v", measure.Parts()))
	flags.StringVar(&o.subjects, "subjects", "", "measure these alone, separated by commas")
	flags.StringVar(&o.fleets, "fleets", "", "measure with these alone, separated by commas, as 1x10000 or 10x100+10000")
	flags.IntVar(&o.rounds, "rounds", 0, "how often to take each figure; 0 leaves it to the plan")
	flags.StringVar(&o.out, "out", "bench.json", "file for the figures")
	flags.BoolVar(&o.add, "add", false, "keep the figures that the file has already and that are not measured again")
	flags.StringVar(&o.docs, "docs", "", "directory with benchmarks.md, for tables and plots; without it tables are printed")
	flags.StringVar(&o.previous, "previous", "", "binary of an earlier version to compare with")
	flags.StringVar(&o.prof, "profiles", "", "directory for profiles; without it there are none")
	flags.StringVar(&o.noise, "log", "", "file for what the measured programs say; default: discarded")
	return o, flags.Parse(args)
}

func (o options) plan() (measure.Plan, error) {
	plan := measure.Full()
	if o.scale {
		plan = measure.Scale()
	}
	if o.quick {
		plan = measure.Quick()
	}
	plan.Profiles = o.prof
	if o.rounds > 0 {
		plan.Rounds, plan.Starts = o.rounds, min(plan.Starts, o.rounds)
	}
	err := restrict(&plan, o.subjects, o.fleets, o.only)
	if o.previous != "" {
		plan.Subjects = compared(plan.Subjects)
	}
	return plan, err
}

// compared adds the earlier version right after this one, unless it is in the list already.
func compared(subjects []result.Subject) []result.Subject {
	if slices.Contains(subjects, result.Previous) {
		return subjects
	}
	i := slices.Index(subjects, result.Sickbay) + 1
	return slices.Insert(slices.Clone(subjects), i, result.Previous)
}

// restrict reduces a plan. An empty argument restricts nothing.
func restrict(plan *measure.Plan, subjects, fleets, only string) error {
	if subjects != "" {
		plan.Subjects = nil
		for name := range strings.SplitSeq(subjects, ",") {
			if !slices.Contains(result.Subjects(), result.Subject(name)) {
				return fmt.Errorf("there is no subject %q", name)
			}
			plan.Subjects = append(plan.Subjects, result.Subject(name))
		}
	}
	if fleets != "" {
		var all []result.Fleet
		for text := range strings.SplitSeq(fleets, ",") {
			f, err := result.ParseFleet(text)
			if err != nil {
				return err
			}
			all = append(all, f)
		}
		plan.Apply(all)
	}
	if only != "" {
		for name := range strings.SplitSeq(only, ",") {
			if !slices.Contains(measure.Parts(), measure.Part(name)) {
				return fmt.Errorf("there is no part %q: there are %v", name, measure.Parts())
			}
			plan.Only = append(plan.Only, measure.Part(name))
		}
	}
	return nil
}
