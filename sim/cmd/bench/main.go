// Command bench measures Sickbay beside Cluster API's own MachineHealthCheck controller, on the same fleets.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/sickbay-dev/sickbay/sim/bench/measure"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	// This program is the other subjects, too.
	if len(args) > 0 && args[0] == "manager" {
		return subject.Main(ctx, args[1:])
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "measure less, in three minutes")
	noise := flags.String("log", "", "file for what the measured programs say; without it nobody gets to know")
	if err := flags.Parse(args); err != nil {
		return err
	}
	// The in-memory API servers complain about each watch that ends.
	log.SetOutput(io.Discard)
	plan := measure.Full()
	if *quick {
		plan = measure.Quick()
	}
	return bench(ctx, plan, *noise)
}

func bench(ctx context.Context, plan measure.Plan, noise string) error {
	dir, err := os.MkdirTemp("", "sickbay-bench-")
	if err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := io.Discard
	if noise != "" {
		file, err := os.Create(filepath.Clean(noise))
		if err != nil {
			return fmt.Errorf("opening --log: %w", err)
		}
		defer func() { _ = file.Close() }()
		out = file
	}
	progress := slog.New(slog.NewTextHandler(os.Stderr, nil))
	progress.Info("Building Sickbay")
	runner := subject.Runner{Log: out}
	if runner.Sickbay, err = sickbay.Build(ctx, dir); err != nil {
		return err
	}
	if runner.Bench, err = subject.Self(); err != nil {
		return err
	}
	figures, err := measure.Run(ctx, plan, runner, dir, progress, out)
	return errors.Join(err, json.NewEncoder(os.Stdout).Encode(figures))
}
