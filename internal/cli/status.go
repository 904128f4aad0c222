package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// followPeriod is how often sickbay status -w looks again. It reads only from its caches, which watches keep up to date.
const followPeriod = time.Second

type statusFlags struct {
	lookFlags
	out      output
	selector string
	follow   bool
}

func newStatus() *cobra.Command {
	f := statusFlags{}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the fleet on one page: what is sick, what is being done about it, and what happens next",
		Long: "Show the fleet on one page: what needs a person, what is waiting and for what, what is being repaired, which\n" +
			"deletions take long, which machines have no Node yet, what is paused, which clusters cannot be read, and what happens next by itself.\n" +
			"It only reads, and needs no manager." + unknownManager,
		Example: "  sickbay status -A\n  sickbay status -n blue -w\n  sickbay status -A -o json | jq .needsYou",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd.Flags())
	f.out.add(cmd.Flags(), formWide, formJSON, formYAML, formName)
	cmd.Flags().StringVarP(&f.selector, "selector", "l", "", "Label selector for Machines. Default: all.")
	cmd.Flags().BoolVarP(&f.follow, "watch", "w", false, "Show the page again whenever it changes, until interrupted.")
	return cmd
}

func (f *statusFlags) run(cmd *cobra.Command) error {
	if err := f.out.validate(); err != nil {
		return err
	}
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return usageError{fmt.Errorf("--selector is %q: %w", f.selector, err)}
	}
	observer, namespace, shut, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer shut()
	last := ""
	for {
		facts, err := observer.Look(cmd.Context(), namespace)
		if err != nil {
			return err
		}
		if !selector.Empty() {
			facts.Select(func(set map[string]string) bool { return selector.Matches(labels.Set(set)) })
		}
		if last, err = f.show(cmd, facts.Fleet(), last); err != nil || !f.follow {
			return err
		}
		select {
		case <-cmd.Context().Done():
			return nil
		case <-time.After(followPeriod):
		}
	}
}

// show prints a fleet unless the text is the same as last, and returns the text.
func (f *statusFlags) show(cmd *cobra.Command, fleet explain.Fleet, last string) (string, error) {
	if f.out.structured() {
		return "", f.out.write(cmd.OutOrStdout(), fleet)
	}
	if f.out.form == formName {
		return "", names(cmd.OutOrStdout(), fleet)
	}
	var b strings.Builder
	t := newText(cmd.OutOrStdout())
	t.w = tame{&b}
	if fleet.Clusters == 0 && fleet.Machines == 0 {
		fmt.Fprintf(t.w, "There are no clusters and no machines in %s\nManager: %s\n", f.place(), fleet.Manager)
	} else {
		t.fleet(fleet, f.out.form == formWide)
	}
	if b.String() == last {
		return last, nil
	}
	if last != "" {
		fmt.Fprintln(cmd.OutOrStdout())
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return b.String(), err
}

// resources are kubectl's names of the kinds on the page.
var resources = map[string]string{
	"Machine": "machine.cluster.x-k8s.io", "MachineHealthCheck": "machinehealthcheck.cluster.x-k8s.io", "MachineRemediation": "machineremediation.sickbay.dev",
}

// names prints the names of objects that need a person, wait, are in repair, or take long to be deleted.
func names(w io.Writer, fleet explain.Fleet) error {
	for _, item := range slices.Concat(fleet.NeedsYou, fleet.Waiting, fleet.InRepair, fleet.Deleting) {
		if _, err := fmt.Fprintf(w, "%s/%s\n", resources[item.Kind], item.Name); err != nil {
			return err
		}
	}
	return nil
}

// few is how many lines a section has without -o wide.
const few = 10

// fleet prints the fleet on one page.
func (t *text) fleet(p explain.Fleet, wide bool) {
	fmt.Fprintf(t.w, "%s\nManager: %s\n", t.painter.paint(bold, p.Summary()), inline(p.Manager))
	t.items("NEEDS YOU", red, p.NeedsYou, wide)
	t.items("WAITING", yellow, p.Waiting, wide)
	t.items("IN REPAIR", blue, p.InRepair, wide)
	t.items("DELETING", yellow, p.Deleting, wide)
	t.items("STARTING", blue, p.Starting, wide)
	t.items("PAUSED", yellow, p.Paused, wide)
	t.items("UNREADABLE", yellow, p.Unreadable, wide)
	t.next(p.Next, wide)
	t.checks(p.Checks, wide)
}

// section prints a section with a line for each of all, or only for the first few. Without any, it prints nothing.
func section[T any](t *text, c color, title, head string, all []T, wide bool, line func(T) string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(t.w, "\n%s\n", t.painter.paint(c, title))
	shown := all
	if !wide {
		shown = all[:min(len(all), few)]
	}
	tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, head)
	for _, one := range shown {
		fmt.Fprintf(tw, "  %s\n", line(one))
	}
	t.flush(tw, len(all)-len(shown))
}

func (t *text) items(title string, c color, items []explain.Item, wide bool) {
	section(t, c, title, "", items, wide, func(item explain.Item) string {
		return fmt.Sprintf("%s/%s\t%s", item.Namespace, item.Name, inline(item.Text))
	})
}

func (t *text) next(all []explain.Upcoming, wide bool) {
	section(t, bold, "NEXT", "", all, wide, func(one explain.Upcoming) string {
		return fmt.Sprintf("%s\t%s/%s\t%s", explain.Clock(one.At, time.Now()), one.Namespace, one.Name, inline(one.What))
	})
}

// checks prints MachineHealthChecks; without -o wide, only those that are closed, select no machine, or have machines that are not healthy.
func (t *text) checks(all []explain.CheckLine, wide bool) {
	var lines []explain.CheckLine
	for _, c := range all {
		if wide || c.Healthy != c.Machines || c.Machines == 0 || !c.Open {
			lines = append(lines, c)
		}
	}
	const head = "  NAME\tMACHINES\tHEALTHY\tSICK\tUNDECIDED\tDELETING\tGATE\n"
	section(t, bold, "CHECKS", head, lines, wide, func(c explain.CheckLine) string {
		return fmt.Sprintf("%s/%s\t%d\t%d\t%d\t%d\t%d\t%s", c.Namespace, c.Name, c.Machines, c.Healthy, c.Sick, c.Undecided, c.Deleting, inline(c.Gate))
	})
}

func (t *text) flush(tw *tabwriter.Writer, left int) {
	_ = tw.Flush()
	if left > 0 {
		fmt.Fprintf(t.w, "  and %d more (-o wide)\n", left)
	}
}
