// Command soak injects random faults into many machines for a long time, and reports how Sickbay handled them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/cmd"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
	"github.com/sickbay-dev/sickbay/sim/soak"
)

func main() { cmd.Main(run) }

// perCluster is how many machines a cluster has.
const perCluster = 100

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	duration := flags.Duration("duration", 30*time.Minute, "for how long faults happen")
	machines := flags.Int("machines", 2000, "how many machines there are, in clusters of about 100")
	seed := flags.Uint64("seed", 0, "seed of the faults; 0 draws one")
	noise := flags.String("log", "", "file for what Sickbay and the API server say; default: discarded")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *machines < 2 || *duration < time.Second {
		return errors.New("-machines must be at least 2 and -duration at least 1s")
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	// The in-memory API servers log each watch that ends.
	log.SetOutput(io.Discard)
	clusters := max(2, *machines/perCluster)
	o := soak.Options{
		Seed: *seed, Shape: result.Fleet{Clusters: clusters, Machines: *machines / clusters},
		Duration: *duration, Every: 2 * time.Second, Patience: 5 * time.Minute, Limits: soak.DefaultLimits(), Log: io.Discard,
	}
	fmt.Println("Seed", o.Seed)
	defer fmt.Println("Seed", o.Seed)
	if *noise != "" {
		file, err := os.Create(filepath.Clean(*noise))
		if err != nil {
			return fmt.Errorf("opening --log: %w", err)
		}
		defer func() { _ = file.Close() }()
		o.Log = file
	}
	return carryOut(ctx, o)
}

func carryOut(ctx context.Context, o soak.Options) error {
	dir, err := os.MkdirTemp("", "sickbay-soak-")
	if err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	o.Dir, o.Progress = dir, slog.New(slog.NewTextHandler(os.Stderr, nil))
	o.Progress.Info("Building Sickbay")
	if o.Binary, err = sickbay.Build(ctx, dir); err != nil {
		return err
	}
	report, err := soak.Run(ctx, o)
	if err != nil {
		return err
	}
	if err := report.Write(os.Stdout); err != nil {
		return err
	}
	if n := len(report.Violations); n > 0 {
		return fmt.Errorf("%d things must not have been", n)
	}
	return nil
}
