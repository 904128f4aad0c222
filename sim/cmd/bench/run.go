package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
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

// version is the version of Sickbay's source, which includes this program. The build sets it.
var version = "dev"

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
	flags.StringVar(&o.noise, "log", "", "file for what the measured programs say; without it nobody gets to know")
	return o, flags.Parse(args)
}

// measureAll measures and writes a report.
func measureAll(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	plan, err := o.plan()
	if err != nil {
		return err
	}
	earlier, err := o.earlier()
	if err != nil {
		return err
	}
	r, err := newReport(ctx)
	if err != nil {
		return err
	}
	r.Quick = o.quick
	var failed error
	if r.Figures, failed = carryOut(ctx, plan, o.previous, o.noise); len(r.Figures) == 0 {
		return failed
	}
	r = earlier.Join(r)
	// Save what was measured until the failure, too.
	if err := r.Save(o.out); err != nil {
		return errors.Join(failed, err)
	}
	if o.docs != "" {
		return errors.Join(failed, report.Write(o.docs, r))
	}
	fmt.Println(report.Markdown(r, nil) + report.Comparison(r))
	return failed
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

// earlier returns the report to which new figures are added. It is read first, so that an error does not come after an hour
// of measuring.
func (o options) earlier() (result.Report, error) {
	if !o.add {
		return result.Report{}, nil
	}
	r, err := result.Load(o.out)
	if errors.Is(err, fs.ErrNotExist) {
		return result.Report{}, nil
	}
	return r, err
}

// compared adds the earlier version right after this one, unless it is in the list already.
func compared(subjects []result.Subject) []result.Subject {
	if slices.Contains(subjects, result.Previous) {
		return subjects
	}
	i := slices.Index(subjects, result.Sickbay) + 1
	return slices.Insert(slices.Clone(subjects), i, result.Previous)
}

// newReport returns a report with the time, the machine and the versions.
func newReport(ctx context.Context) (r result.Report, err error) {
	r.Time = time.Now().UTC().Truncate(time.Second)
	if r.Versions, err = measure.Versions(ctx, version); err != nil {
		return r, err
	}
	r.Machine, err = measure.Machine()
	return r, err
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
