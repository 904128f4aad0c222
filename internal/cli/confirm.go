package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// confirm holds the flags that say whether to ask a person before writing.
type confirm struct {
	yes    bool
	dryRun bool
}

func (c *confirm) add(fs *pflag.FlagSet) {
	fs.BoolVarP(&c.yes, "yes", "y", false, "Write without asking.")
	fs.BoolVar(&c.dryRun, "dry-run", false, "Show what would be written, have the API server check it, and write nothing.")
}

// validate returns an error if the command would have to ask and there is no terminal.
func (c *confirm) validate(in io.Reader) error {
	switch file, ok := in.(*os.File); {
	case c.yes && c.dryRun:
		return usageError{errors.New("--yes and --dry-run cannot be used together")}
	case c.yes || c.dryRun || (ok && term.IsTerminal(int(file.Fd()))):
		return nil
	}
	return usageError{errors.New("cannot ask for confirmation, because standard input is not a terminal: use --yes to write without asking, or --dry-run to see what would be written")}
}

// errDeclined means that the person said no.
var errDeclined = errors.New("nothing was written")

// ask returns nil if a person answers yes, and errDeclined otherwise.
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

// readLine reads a line, or returns when the context ends. A blocked read from a terminal cannot be interrupted otherwise.
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

// talk returns the stream for messages to a person: standard error if standard output is for a program.
func (o *output) talk(cmd *cobra.Command) io.Writer {
	if o.form == formText {
		return cmd.OutOrStdout()
	}
	return cmd.ErrOrStderr()
}

// writing has what the commands share that write for a person.
type writing struct {
	access  access
	output  output
	confirm confirm
	clock   clock.PassiveClock
	reason  string
}

// add registers their flags; reason is the help for --reason, empty if the command has no such flag.
func (w *writing) add(cmd *cobra.Command, reason string) {
	fs := cmd.Flags()
	w.access.add(fs)
	w.output.add(fs, formName, formJSON, formYAML)
	w.confirm.add(fs)
	if reason != "" {
		fs.StringVar(&w.reason, "reason", "", reason)
	}
	complete(cmd, "output", cobra.FixedCompletions([]string{formName, formJSON, formYAML}, cobra.ShellCompDirectiveNoFileComp))
	if w.clock == nil {
		w.clock = clock.RealClock{}
	}
}

// validate returns the first problem: one that the command has found, or else that of a flag.
func (w *writing) validate(cmd *cobra.Command, found ...error) error {
	if n := utf8.RuneCountInString(w.reason); n > useractions.MaxReason {
		found = append(found, usageError{fmt.Errorf("--reason has %d characters: it must have at most %d", n, useractions.MaxReason)})
	}
	return cmp.Or(append(found, w.output.validate(), w.confirm.validate(cmd.InOrStdin()))...)
}

// carryOut shows a change, and writes it if the person agrees. The API server checks it before the person is asked.
func (w *writing) carryOut(cmd *cobra.Command, change *useractions.Change, err error) error {
	if err != nil {
		return err
	}
	o, c := &w.output, &w.confirm
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
			return o.written(cmd, checked, "Nothing was written (--dry-run); the API server would accept the change")
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

// written tells a person what was done, and prints the object for programs.
func (o *output) written(cmd *cobra.Command, object client.Object, sentence string) error {
	fmt.Fprintln(o.talk(cmd), sentence)
	if o.form == formText {
		return nil
	}
	kind, err := apiutil.GVKForObject(object, app.Scheme())
	if err != nil {
		return fmt.Errorf("finding the kind of the written object: %w", err)
	}
	if o.form == formName {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s.%s/%s\n", strings.ToLower(kind.Kind), kind.Group, object.GetName())
		return err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	object.SetManagedFields(nil)
	return o.write(cmd.OutOrStdout(), object)
}
