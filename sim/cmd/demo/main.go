// Command demo shows Sickbay at work on a simulated Cluster API installation.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sickbay-dev/sickbay/sim/demo"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	binary, err := filepath.Abs(filepath.Join("..", "bin", "sickbay"))
	if err != nil {
		return fmt.Errorf("finding the binary: %w", err)
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("finding the binary, which make build makes: %w", err)
	}
	dir, err := os.MkdirTemp("", "sickbay-demo-")
	if err != nil {
		return fmt.Errorf("creating a directory for logs: %w", err)
	}
	return demo.Run(ctx, demo.Options{
		Binary: binary, Keep: os.Getenv("KEEP") != "", Out: os.Stdout, Color: isTerminal(os.Stdout),
		Dir: dir, Began: time.Now(),
	})
}

// isTerminal tells whether somebody is looking. NO_COLOR is what people set who do not like colours.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}
