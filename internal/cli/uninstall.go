package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/uninstall"
)

// uninstallPeriod is how often to look while a manager drains.
const uninstallPeriod = 2 * time.Second

type uninstallFlags struct {
	access      access
	confirm     confirm
	annotations bool
	timeout     time.Duration
	clock       clock.PassiveClock
}

func newUninstall() *cobra.Command { return (&uninstallFlags{clock: clock.RealClock{}}).command() }

func (f *uninstallFlags) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Wait until Sickbay has taken back everything that it has written",
		Long: "Wait until Sickbay has taken back everything that it has written, in all namespaces or in one. The manager takes it back: give it the flag\n" +
			"--drain first (helm upgrade sickbay charts/sickbay --namespace sickbay-system --reset-then-reuse-values --set drain=true). Then it ends\n" +
			"all repairs, lets hosts that are kept off come on, puts their Nodes back into service, and removes conditions, marks, annotations, requests, finalizers and pauses for upgrades. The\n" +
			"command only looks, with your rights, and says what is left. It leaves what you have written, and the history of repairs.\n\n" +
			"Afterwards remove the installation, for example with helm uninstall, and then the kinds: sickbay crds | kubectl delete -f -\n\n" +
			"Exit codes: 0 nothing is left, or with --dry-run everything could be read; 1 something is left or could not be read, or you declined;\n" +
			"2 the input is invalid.",
		Example: "  sickbay uninstall --dry-run\n  sickbay uninstall -n metal\n  sickbay uninstall --yes --annotations",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	f.access.addAll(fs)
	fs.Lookup("namespace").Usage = "Namespace to look at. Default: all."
	f.confirm.add(fs)
	fs.Lookup("dry-run").Usage = "Show what is left, without waiting, and write nothing."
	fs.Lookup("yes").Usage = "Remove the annotations without asking."
	fs.BoolVar(&f.annotations, "annotations", false, "At the end, remove the annotations with which people have configured Sickbay.")
	fs.DurationVar(&f.timeout, "timeout", 10*time.Minute, "How long to wait; 0 means for ever.")
	return cmd
}

// look returns the namespace to look at; all without --namespace.
func (f *uninstallFlags) look() (string, error) {
	if f.access.overrides.Context.Namespace == "" {
		f.access.all = true
	}
	return f.access.namespace()
}

func (f *uninstallFlags) run(cmd *cobra.Command) error {
	namespace, err := f.look()
	if err != nil {
		return err
	}
	if f.annotations {
		if err := f.confirm.validate(cmd.InOrStdin()); err != nil {
			return err
		}
	}
	c, err := f.access.client()
	if err != nil {
		return err
	}
	seen, err := uninstall.Look(cmd.Context(), c, namespace, f.clock.Now())
	if err != nil {
		return err
	}
	f.show(cmd, seen)
	if f.confirm.dryRun {
		fmt.Fprint(tame{cmd.ErrOrStderr()}, line(seen.Waits()))
		return f.end(cmd, seen)
	}
	if seen, err = f.await(cmd, c, namespace, seen); err != nil {
		return err
	}
	if err := f.forget(cmd, c, seen); err != nil {
		return err
	}
	return f.end(cmd, seen)
}

// end says that nothing is left, if that is so. Where something could not be read, traces may be left.
func (f *uninstallFlags) end(cmd *cobra.Command, seen uninstall.Seen) error {
	switch {
	case seen.Waits() != "":
	case len(seen.Unread) > 0:
		fmt.Fprintln(cmd.OutOrStdout(), "Nothing that Sickbay has written is left on the objects that could be read")
	default:
		fmt.Fprintln(cmd.OutOrStdout(), "Nothing that Sickbay has written is left")
		f.warn(cmd, seen)
	}
	if len(seen.Unread) > 0 {
		return errNo
	}
	return nil
}

// warn says what could surprise people once Sickbay is gone.
func (f *uninstallFlags) warn(cmd *cobra.Command, seen uninstall.Seen) {
	if len(seen.Leaders) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "No manager has a lease. If one runs without --leader-elect, stop it, or it writes this again")
	}
	still := slices.DeleteFunc(slices.Clone(seen.Items), func(i uninstall.Item) bool { return !slices.Contains(i.Yours, clusterv1.PausedAnnotation) })
	if n := len(still); n > 0 && !f.annotations {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s handed over, and without Sickbay nobody repairs the machines: sickbay uninstall --annotations hands back to Cluster API's controller\n",
			humanize.Count(n, "MachineHealthCheck stays", "MachineHealthChecks stay"))
	}
}

// line ends a sentence with a line break, if there is one.
func line(sentence string) string {
	if sentence == "" {
		return ""
	}
	return oneLine(errors.New(sentence)) + "\n"
}

// await looks until nothing is left, and says whenever it waits for something else.
func (f *uninstallFlags) await(cmd *cobra.Command, c client.Client, namespace string, seen uninstall.Seen) (uninstall.Seen, error) {
	ctx := cmd.Context()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	said := ""
	var failed error
	err := wait.PollUntilContextCancel(ctx, uninstallPeriod, true, func(ctx context.Context) (bool, error) {
		if said != "" {
			latest, err := uninstall.Look(ctx, c, namespace, f.clock.Now())
			if ctx.Err() != nil {
				return false, nil
			}
			if failed = err; err != nil {
				return false, nil // The API server may be back in a moment.
			}
			seen = latest
		}
		waits := seen.Waits()
		if waits != said {
			fmt.Fprint(tame{cmd.ErrOrStderr()}, line(waits))
		}
		said = waits
		return waits == "", nil
	})
	if err == nil {
		return seen, nil
	}
	if err := cmd.Context().Err(); err != nil {
		return seen, err
	}
	out := tame{cmd.OutOrStdout()}
	fmt.Fprintf(out, "\nAfter %s, something is left:\n", f.timeout)
	list(out, seen.Left(), func(i uninstall.Item) []string { return i.Ours })
	return seen, cmp.Or(failed, errNo)
}

// forget removes people's annotations, if they want that.
func (f *uninstallFlags) forget(cmd *cobra.Command, c client.Client, seen uninstall.Seen) error {
	yours := slices.DeleteFunc(slices.Clone(seen.Items), func(i uninstall.Item) bool { return len(i.Yours) == 0 })
	if !f.annotations || len(yours) == 0 {
		return nil
	}
	if !f.confirm.yes {
		if err := f.confirm.ask(cmd, "Remove your annotations from "+humanize.Count(len(yours), "object", "objects")+"?"); err != nil {
			return err
		}
	}
	var failed []error
	for _, item := range yours {
		err := uninstall.Forget(cmd.Context(), c, item)
		if err == nil {
			fmt.Fprintf(tame{cmd.OutOrStdout()}, "%s: removed %s\n", item, strings.Join(item.Yours, ", "))
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// show prints what was found, and what could not be read.
func (f *uninstallFlags) show(cmd *cobra.Command, seen uninstall.Seen) {
	out := tame{cmd.OutOrStdout()}
	for _, one := range seen.Unread {
		fmt.Fprintf(tame{cmd.ErrOrStderr()}, "not read: %s\n", one)
	}
	if left := seen.Left(); len(left) > 0 {
		fmt.Fprintf(out, "Sickbay has written to %s:\n", humanize.Count(len(left), "object", "objects"))
		list(out, left, func(i uninstall.Item) []string { return i.Ours })
	}
	var yours strings.Builder
	list(&yours, seen.Items, func(i uninstall.Item) []string { return i.Yours })
	if yours.Len() > 0 {
		hint := " (--annotations removes them)"
		if f.annotations {
			hint = ", until the end"
		}
		fmt.Fprintf(out, "Your annotations stay%s:\n%s", hint, yours.String())
	}
}

func list(w io.Writer, items []uninstall.Item, what func(uninstall.Item) []string) {
	for _, item := range items {
		if all := what(item); len(all) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", item, strings.Join(all, ", "))
		}
	}
}
