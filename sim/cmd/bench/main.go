// Command bench measures Sickbay beside Cluster API's own MachineHealthCheck controller, on the same fleets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/measure"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/cmd"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

const usage = `Usage:
  bench run [flags]      measure, and write down the figures: bench run -h shows the flags
  bench check file...    compare figures with the limits
`

func main() { cmd.Main(run) }

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("a command is missing")
	}
	// The in-memory API servers log each watch that ends.
	log.SetOutput(io.Discard)
	switch args[0] {
	case "run":
		return measureAll(ctx, args[1:])
	case "check":
		return check(args[1:])
	case "manager":
		// This program is also the subjects other than Sickbay.
		return subject.Main(ctx, args[1:])
	default:
		fmt.Fprint(os.Stderr, usage)
		return fmt.Errorf("there is no command %q", args[0])
	}
}

// check compares reports with the limits.
func check(paths []string) error {
	report, err := result.Load(paths...)
	if err != nil {
		return err
	}
	missed := result.Check(report, result.Limits())
	for _, sentence := range missed {
		fmt.Fprintln(os.Stderr, sentence)
	}
	if len(missed) > 0 {
		return errors.New("limits were missed")
	}
	fmt.Println("All limits are kept.")
	return nil
}

// options are the options of a run.
type options struct {
	quick, scale                     bool
	only, fleets, previous, out, log string
}

// measureAll measures and writes a report.
func measureAll(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("bench run", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false, "measure less, in three minutes")
	flags.BoolVar(&o.scale, "scale", false, "measure how much one process carries, up to 100,000 machines, without upstream")
	flags.StringVar(&o.only, "only", "", fmt.Sprintf("measure these parts alone, separated by commas, of %v", measure.Parts()))
	flags.StringVar(&o.fleets, "fleets", "", "measure with these alone, separated by commas, as 1x10000 or 10x100+10000")
	flags.StringVar(&o.previous, "previous", "", "binary of an earlier version to compare with")
	flags.StringVar(&o.out, "out", "bench.txt", "file for the figures")
	flags.StringVar(&o.log, "log", os.DevNull, "file for what the measured programs say")
	if err := flags.Parse(args); err != nil {
		return err
	}
	plan, err := o.plan()
	if err != nil {
		return err
	}
	report := result.NewReport()
	if report.About, err = environment(ctx); err != nil {
		return err
	}
	if o.quick {
		report.SetQuick()
	}
	failed := o.carryOut(ctx, plan, report.Figures)
	if len(report.Figures) == 0 {
		return failed
	}
	fmt.Print(report.Table())
	// Save what was measured until the failure, too.
	return errors.Join(failed, os.WriteFile(o.out, []byte(report.Text()), 0o644))
}

func (o options) plan() (measure.Plan, error) {
	plan := measure.Full()
	if o.scale {
		plan = measure.Scale()
	}
	if o.quick {
		plan = measure.Quick()
	}
	if o.previous != "" {
		plan.Subjects = slices.Insert(plan.Subjects, 1, result.Previous)
	}
	if o.fleets != "" {
		plan.Fleets = nil
		for text := range strings.SplitSeq(o.fleets, ",") {
			fleet, err := result.ParseFleet(text)
			if err != nil {
				return plan, err
			}
			plan.Fleets = append(plan.Fleets, fleet)
		}
	}
	if o.only != "" {
		for name := range strings.SplitSeq(o.only, ",") {
			if !slices.Contains(measure.Parts(), measure.Part(name)) {
				return plan, fmt.Errorf("there is no part %q: there are %v", name, measure.Parts())
			}
			plan.Only = append(plan.Only, measure.Part(name))
		}
	}
	return plan, nil
}

func (o options) carryOut(ctx context.Context, plan measure.Plan, figures map[result.Key][]float64) error {
	dir, err := os.MkdirTemp("", "sickbay-bench-")
	if err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	noise, err := os.Create(filepath.Clean(o.log))
	if err != nil {
		return fmt.Errorf("opening -log: %w", err)
	}
	defer func() { _ = noise.Close() }()
	progress := slog.New(slog.NewTextHandler(os.Stderr, nil))
	progress.Info("Building Sickbay")
	runner := subject.Runner{Log: noise, Previous: o.previous}
	if runner.Sickbay, err = sickbay.Build(ctx, dir); err != nil {
		return err
	}
	if runner.Bench, err = os.Executable(); err != nil {
		return err
	}
	return measure.Run(ctx, plan, runner, figures, dir, progress, noise)
}
