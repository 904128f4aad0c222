package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// confirm is how a command that writes makes sure that a person wants it.
type confirm struct {
	yes    bool
	dryRun bool
}

func (c *confirm) add(fs *pflag.FlagSet) {
	fs.BoolVarP(&c.yes, "yes", "y", false, "Do not ask before writing.")
	fs.BoolVar(&c.dryRun, "dry-run", false, "Show what would be written, have the API server check it, and write nothing.")
}

// validate refuses to ask where nobody can answer.
func (c *confirm) validate(in io.Reader) error {
	switch file, ok := in.(*os.File); {
	case c.yes && c.dryRun:
		return usageError{errors.New("--yes and --dry-run exclude each other")}
	case c.yes || c.dryRun || (ok && term.IsTerminal(int(file.Fd()))):
		return nil
	}
	return usageError{errors.New("nobody can be asked, as the standard input is not a terminal: --yes writes without asking, --dry-run shows what would be written")}
}

// errDeclined says that a person does not want it after all.
var errDeclined = errors.New("nothing was written")

// ask waits for a person's yes. Anything else is a no.
func (c *confirm) ask(cmd *cobra.Command, question string) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, err := readLine(cmd.Context(), cmd.InOrStdin())
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr())
		return errDeclined
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return nil
	}
	return errDeclined
}

// readLine reads a line, unless it is interrupted: nobody can interrupt a read from a terminal otherwise.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	lines, errs := make(chan string, 1), make(chan error, 1)
	go func() {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			errs <- err
			return
		}
		lines <- line
	}()
	select {
	case line := <-lines:
		return line, nil
	case err := <-errs:
		return "", err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
