package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/sickbay-dev/sickbay/sim/bench/limits"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// check compares a report with limits.
func check(args []string) error {
	flags := flag.NewFlagSet("bench check", flag.ContinueOnError)
	figures := flags.String("figures", "bench.json", "file with the figures")
	file := flags.String("limits", "bench/limits/limits.yaml", "file with the limits")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := limits.Load(*file)
	if err != nil {
		return err
	}
	measured, err := result.Load(*figures)
	if err != nil {
		return err
	}
	missed := limits.Check(measured, all)
	for _, sentence := range missed {
		fmt.Fprintln(os.Stderr, sentence)
	}
	if len(missed) > 0 {
		return errors.New("limits were missed")
	}
	fmt.Println("All limits are kept.")
	return nil
}
