package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/measure"
	"github.com/sickbay-dev/sickbay/sim/bench/report"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// version is that of Sickbay's source, of which this is a part. The build sets it.
var version = "dev"

// measureAll measures and writes a report.
func measureAll(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench run", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "measure less, in three minutes")
	out := flags.String("out", "bench.json", "file for the figures")
	docs := flags.String("docs", "", "directory with benchmarks.md, for tables and plots; without it tables are printed")
	subjects := flags.String("subjects", "", "measure these alone, separated by commas")
	fleets := flags.String("fleets", "", "measure with these alone, separated by commas, as 1x10000")
	rounds := flags.Int("rounds", 0, "how often to take each figure; 0 leaves it to the plan")
	previous := flags.String("previous", "", "binary of an earlier version to compare with")
	profiles := flags.String("profiles", "", "directory for profiles; without it there are none")
	noise := flags.String("log", "", "file for what the measured programs say; without it nobody gets to know")
	if err := flags.Parse(args); err != nil {
		return err
	}
	plan := measure.Full()
	if *quick {
		plan = measure.Quick()
	}
	plan.Profiles = *profiles
	if *rounds > 0 {
		plan.Rounds, plan.Starts = *rounds, min(plan.Starts, *rounds)
	}
	if err := restrict(&plan, *subjects, *fleets); err != nil {
		return err
	}
	if *previous != "" {
		plan.Subjects = compared(plan.Subjects)
	}
	r, err := newReport(ctx)
	if err != nil {
		return err
	}
	r.Quick = *quick
	var failed error
	if r.Figures, failed = carryOut(ctx, plan, *previous, *noise); len(r.Figures) == 0 {
		return failed
	}
	// What was measured until then is worth having.
	if err := r.Save(*out); err != nil {
		return errors.Join(failed, err)
	}
	if *docs != "" {
		return errors.Join(failed, report.Write(*docs, r))
	}
	fmt.Println(report.Markdown(r, nil) + report.Comparison(r))
	return failed
}

// compared puts the earlier version behind this one, unless it has its place.
func compared(subjects []result.Subject) []result.Subject {
	if slices.Contains(subjects, result.Previous) {
		return subjects
	}
	i := slices.Index(subjects, result.Sickbay) + 1
	return slices.Insert(slices.Clone(subjects), i, result.Previous)
}

// newReport says when, where and of what figures are.
func newReport(ctx context.Context) (r result.Report, err error) {
	r.Time = time.Now().UTC().Truncate(time.Second)
	if r.Versions, err = measure.Versions(ctx, version); err != nil {
		return r, err
	}
	r.Machine, err = measure.Machine()
	return r, err
}

// restrict has a plan measure less. What is empty restricts nothing.
func restrict(plan *measure.Plan, subjects, fleets string) error {
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
		plan.Fleets = nil
		for text := range strings.SplitSeq(fleets, ",") {
			f, err := result.ParseFleet(text)
			if err != nil {
				return err
			}
			plan.Fleets = append(plan.Fleets, f)
		}
	}
	return nil
}

func carryOut(ctx context.Context, plan measure.Plan, previous, noise string) ([]result.Figure, error) {
	dir, err := os.MkdirTemp("", "sickbay-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if plan.Profiles != "" {
		if err := os.MkdirAll(plan.Profiles, 0o750); err != nil {
			return nil, fmt.Errorf("making the directory for profiles: %w", err)
		}
	}
	out := io.Discard
	if noise != "" {
		file, err := os.Create(filepath.Clean(noise))
		if err != nil {
			return nil, fmt.Errorf("opening --log: %w", err)
		}
		defer func() { _ = file.Close() }()
		out = file
	}
	progress := slog.New(slog.NewTextHandler(os.Stderr, nil))
	progress.Info("Building Sickbay")
	runner := subject.Runner{Log: out, Previous: previous}
	if runner.Sickbay, err = sickbay.Build(ctx, dir); err != nil {
		return nil, err
	}
	if runner.Bench, err = subject.Self(); err != nil {
		return nil, err
	}
	return measure.Run(ctx, plan, runner, dir, progress, out)
}
