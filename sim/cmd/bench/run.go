package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/measure"
	"github.com/sickbay-dev/sickbay/sim/bench/report"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// version is the version of Sickbay's source, which includes this program. The build sets it.
var version = "dev"

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
	fmt.Println(report.Text(r))
	return failed
}

// earlier returns the report to which new figures are added. It is read first, so that an error does not come after an hour of measuring.
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

// newReport returns a report with the time, the machine and the versions.
func newReport(ctx context.Context) (r result.Report, err error) {
	r.Time = time.Now().UTC().Truncate(time.Second)
	if r.Versions, err = measure.Versions(ctx, version); err != nil {
		return r, err
	}
	r.Machine, err = measure.Machine()
	return r, err
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
	if runner.Bench, err = os.Executable(); err != nil {
		return nil, err
	}
	return measure.Run(ctx, plan, runner, dir, progress, out)
}
