package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/config/crd"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/mask"
)

// Exit codes of the binary.
const (
	exitOK      = 0
	exitFailure = 1
	// exitUsage is for input that cannot be understood.
	exitUsage = 2
)

// errNo ends a command that has already printed its answer: it exits with exitFailure and prints nothing more.
var errNo = errors.New("no")

// usageError is an error in the user's input.
type usageError struct{ error }

// Unwrap returns the error itself.
func (e usageError) Unwrap() error { return e.error }

// Main runs the command that args ask for and returns the exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return execute(ctx, newRoot(os.Args[0]), args, stdout, stderr)
}

func execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errNo) {
		return exitFailure
	}
	err = unreached(cmd, err)
	fmt.Fprintf(tame{stderr}, "sickbay: %s\n", mask.Text(oneLine(err)))
	if usage := (usageError{}); errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		return exitUsage
	}
	return exitFailure
}

// unreached says in one sentence that a command cannot reach the management cluster; it returns any other error as it is. The manager has no contexts, and
// is told what failed.
func unreached(cmd *cobra.Command, err error) error {
	failed := &url.Error{}
	if !errors.As(err, &failed) || cmd.Flags().Lookup("context") == nil || cmd.Context().Err() != nil {
		return err
	}
	at, parseErr := url.Parse(failed.URL)
	if parseErr != nil {
		return err
	}
	where := ""
	a := &access{kubeconfig: cmd.Flag("kubeconfig").Value.String()}
	a.overrides.CurrentContext = cmd.Flag("context").Value.String()
	if name, chosen := a.context(); chosen != nil {
		where = " (context " + name + ")"
	}
	said := fmt.Errorf("cannot reach the management cluster at %s://%s%s: %s", at.Scheme, at.Host, where, cause(failed))
	if usage := (usageError{}); errors.As(err, &usage) {
		return usageError{said}
	}
	return said
}

// cause says why a request got no answer, without the addresses that the sentence has already.
func cause(failed *url.Error) string {
	dialed, refused := &net.OpError{}, &os.SyscallError{}
	switch {
	case errors.As(failed.Err, &refused):
		return refused.Err.Error()
	case errors.As(failed.Err, &dialed):
		return dialed.Err.Error()
	}
	return failed.Err.Error()
}

// suggestion is the text that cobra prints before similar names when a command is unknown.
const suggestion = "\n\nDid you mean this?\n"

// oneLine formats an error as one line.
func oneLine(err error) string {
	text, alike, found := strings.Cut(err.Error(), suggestion)
	if found {
		text += ": did you mean " + strings.Join(strings.Fields(alike), " or ") + "?"
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// plugin is the name by which kubectl finds the binary as a plugin.
const plugin = "kubectl-sickbay"

// newRoot makes the root command. If the binary was called as a plugin of kubectl, help and examples say so.
func newRoot(calledAs string) *cobra.Command {
	root := &cobra.Command{
		Use:           "sickbay",
		Short:         "Sickbay keeps Kubernetes machines healthy",
		Long:          "Sickbay notices a sick machine the moment its deadline passes, says why in one sentence,\nand repairs it inside a safety budget.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	if strings.HasPrefix(filepath.Base(calledAs), plugin) {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl sickbay"}
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newStatus(), newExplain(), newReplay(), newHistory(), newSimulate(), newDashboard(), newLint(), newConvert(), newManager(), newCRDs(), newUninstall(), newVersion())
	root.AddCommand(newApprove(), newDeny(), newRetry(), newCancel(), newHold(), newRelease(), newReboot())
	for _, cmd := range root.Commands() {
		cmd.Example = strings.ReplaceAll(cmd.Example, "  sickbay ", "  "+root.DisplayName()+" ")
	}
	return root
}

// noArgs refuses arguments; usually they are flags without their dashes.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		hint := ""
		if cmd.Flags().Lookup("filename") != nil {
			hint = "; a file goes with -f: -f " + args[0]
		}
		return usageError{fmt.Errorf("%s takes no arguments, but got %q%s", cmd.CommandPath(), args[0], hint)}
	}
	return nil
}

// oneArg wants exactly one argument.
func oneArg(takes string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{fmt.Errorf("%s, not %d", takes, len(args))}
		}
		return nil
	}
}

func newCRDs() *cobra.Command {
	return &cobra.Command{
		Use:     "crds",
		Short:   "Print the definitions of Sickbay's kinds",
		Long:    "Print the CustomResourceDefinitions of this version's kinds as one stream of YAML documents.\nApplying them again is safe.",
		Example: "  sickbay crds | kubectl apply -f -",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			definitions, err := crd.YAML()
			if err != nil {
				return err
			}
			if _, err := cmd.OutOrStdout().Write(definitions); err != nil {
				return fmt.Errorf("printing the definitions: %w", err)
			}
			return nil
		},
	}
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "sickbay %s %s/%s %s\n", app.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}
