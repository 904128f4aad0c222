// Package cmd is how the programs below it begin and end: they listen to signals, and say why they fail.
package cmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program with its arguments, and exits. A signal to end cancels the program's context.
func Main(run func(ctx context.Context, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	Exit(err)
}

// Exit exits with the result of a program. To have asked for help is no error.
func Exit(err error) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}
