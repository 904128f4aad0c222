// Command demo shows Sickbay at work on a simulated Cluster API installation.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/sickbay-dev/sickbay/sim/cmd"
	"github.com/sickbay-dev/sickbay/sim/demo"
)

func main() { cmd.Main(run) }

func run(ctx context.Context, _ []string) error {
	verbose := flag.Bool("v", false, "tell every line of every story as it happens")
	flag.Parse()
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
	o := demo.Options{Binary: binary, Keep: os.Getenv("KEEP") != "", Verbose: *verbose, Out: os.Stdout, Dir: dir, Began: time.Now()}
	if terminal := int(os.Stdout.Fd()); term.IsTerminal(terminal) && os.Getenv("TERM") != "dumb" {
		o.Color, o.Size = os.Getenv("NO_COLOR") == "", func() (width, height int) { return size(terminal) }
	}
	return demo.Run(ctx, o)
}

// size returns the size of a terminal, or the usual size if it is unknown.
func size(terminal int) (width, height int) {
	width, height, err := term.GetSize(terminal)
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}
