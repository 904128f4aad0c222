// Command bench measures Sickbay beside Cluster API's own MachineHealthCheck controller, on the same fleets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/cmd"
)

const usage = `Usage:
  bench run [flags]       measure, and write down the figures
  bench check [flags]     compare figures with limits
  bench <command> -h      show the flags
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

// check compares a report with limits.
func check(args []string) error {
	flags := flag.NewFlagSet("bench check", flag.ContinueOnError)
	figures := flags.String("figures", "bench.json", "file with the figures")
	file := flags.String("limits", "bench/limits.yaml", "file with the limits")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := result.LoadLimits(*file)
	if err != nil {
		return err
	}
	measured, err := result.Load(*figures)
	if err != nil {
		return err
	}
	missed := result.Check(measured, all)
	for _, sentence := range missed {
		fmt.Fprintln(os.Stderr, sentence)
	}
	if len(missed) > 0 {
		return errors.New("limits were missed")
	}
	fmt.Println("All limits are kept.")
	return nil
}
