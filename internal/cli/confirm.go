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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/people"
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

// talk is where a command talks to a person: the standard output is for programs if they asked for it.
func (o *output) talk(cmd *cobra.Command) io.Writer {
	if o.form == formText {
		return cmd.OutOrStdout()
	}
	return cmd.ErrOrStderr()
}

// carryOut shows a change, and writes it once a person agrees. The API server checks it before anybody is asked.
func (c *confirm) carryOut(cmd *cobra.Command, o *output, change *people.Change) error {
	if change.Already != "" {
		return o.written(cmd, change.Shown, change.Already)
	}
	show(o.talk(cmd), change.Title, change.Lines)
	if !c.yes {
		checked, err := change.Check(cmd.Context())
		if err != nil {
			return err
		}
		if c.dryRun {
			return o.written(cmd, checked, "Nothing was written (--dry-run); the API server would accept it")
		}
		if err := c.ask(cmd, "Write this?"); err != nil {
			return err
		}
	}
	written, err := change.Write(cmd.Context())
	if err != nil {
		return err
	}
	return o.written(cmd, written, "Written to "+change.Name)
}

// written prints an object as it is in the API server now, or a sentence for people.
func (o *output) written(cmd *cobra.Command, object client.Object, sentence string) error {
	fmt.Fprintln(o.talk(cmd), sentence)
	if o.form == formText {
		return nil
	}
	kind, err := apiutil.GVKForObject(object, app.Scheme())
	if err != nil {
		return fmt.Errorf("naming what was written: %w", err)
	}
	if o.form == formName {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s.%s/%s\n", strings.ToLower(kind.Kind), kind.Group, object.GetName())
		return err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	object.SetManagedFields(nil)
	return o.write(cmd.OutOrStdout(), object)
}
