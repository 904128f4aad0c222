package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

type historyFlags struct {
	access
	out      output
	selector string
	since    time.Duration
	stats    bool
}

func newHistory() *cobra.Command {
	f := historyFlags{}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what was repaired, when and why, how long each part took, and how it ended",
		Long: "Show what was repaired, from the MachineRemediations. The manager keeps the last 50 of each MachineHealthCheck for a week\n" +
			"(--history-limit and --history-age).\n" +
			"DETECTED is when the machine fell sick. ADMITTED, ACTED and HEALTHY are how long it took from the one before: until its repair was\n" +
			"admitted, until the first action, and until the machine, or its replacement, was healthy.",
		Example: "  sickbay history -A\n  sickbay history -n blue --since 1d\n  sickbay history -A --stats",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.addAll(cmd.Flags())
	f.out.add(cmd.Flags(), formWide, formJSON, formYAML, formName)
	cmd.Flags().StringVarP(&f.selector, "selector", "l", "", "Label selector of MachineRemediations.")
	spanVar(cmd.Flags(), &f.since, "since", 0, "Only repairs that were admitted within this time, such as 12h or 3d. Default: all.")
	cmd.Flags().BoolVar(&f.stats, "stats", false, "Print statistics: times at p50, p90 and p99, how often each step helped, and machines and hosts that were repaired repeatedly.")
	return cmd
}

func (f *historyFlags) run(cmd *cobra.Command) error {
	if err := f.out.validate(); err != nil {
		return err
	}
	repairs, err := f.read(cmd)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	switch {
	case len(repairs) == 0 && f.out.forPeople():
		fmt.Fprintln(w, f.nothing())
	case f.stats && f.out.structured():
		return f.out.write(w, explain.Sum(repairs))
	case f.stats:
		newText(w).stats(explain.Sum(repairs))
	case f.out.structured():
		return f.out.write(w, historyList{explain.APIVersion, "RepairList", repairs})
	case f.out.form == formName:
		for _, one := range repairs {
			fmt.Fprintf(w, "machineremediation.sickbay.dev/%s\n", one.Name)
		}
	default:
		newText(w).history(repairs, f.out.form == formWide)
	}
	return nil
}

// historyList is the output for programs.
type historyList struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Items      []explain.Repair `json:"items"`
}

func (f *historyFlags) read(cmd *cobra.Command) ([]explain.Repair, error) {
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return nil, usageError{fmt.Errorf("--selector is %q: %w", f.selector, err)}
	}
	c, namespace, err := f.reach()
	if err != nil {
		return nil, err
	}
	var list v1alpha1.MachineRemediationList
	if err := c.List(cmd.Context(), &list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return nil, fmt.Errorf("listing MachineRemediations: %w", useractions.Explained(err))
	}
	since := time.Time{}
	if f.since > 0 {
		since = time.Now().Add(-f.since)
	}
	return explain.History(list.Items, since), nil
}

// nothing says where no repair is on record: most people mean another namespace.
func (f *historyFlags) nothing() string {
	text := "There are no repairs on record in " + f.place()
	if f.since > 0 {
		text += " that were admitted within the last " + humanize.Span(f.since)
	}
	return text
}

// history prints repairs, latest first.
func (t *text) history(repairs []explain.Repair, wide bool) {
	tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	head := "DETECTED\tMACHINE\tREASON\tADMITTED\tACTED\tHEALTHY\tSTEPS\tOUTCOME"
	if wide {
		head += "\tHOST\tRECORD"
	}
	fmt.Fprintln(tw, head)
	for _, one := range repairs {
		fmt.Fprintf(tw, "%s\t%s/%s\t%s\t%s\t%s\t%s\t%s\t%s", explain.Clock(one.Detected, time.Now()), one.Namespace, one.Machine, inline(one.Reason),
			took(&one.Detected, &one.Admitted), took(&one.Admitted, one.Acted), took(one.Acted, one.Healthy), steps(one.Attempts), inline(one.Outcome))
		if wide {
			fmt.Fprintf(tw, "\t%s\t%s", cmp.Or(one.Host, "-"), one.Name)
		}
		fmt.Fprintln(tw)
	}
	_ = tw.Flush()
}

// took prints how long something took; a dash if it has not happened.
func took(from, to *time.Time) string {
	if text := explain.Took(from, to); text != "" {
		return "+" + text
	}
	return "-"
}

// number prints a number; a dash if it is 0.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return explain.Number(n)
}

// steps names the steps that were tried, and how often.
func steps(attempts []explain.Attempt) string {
	var names []string
	times := map[string]int{}
	for _, attempt := range attempts {
		if times[attempt.Step]++; times[attempt.Step] == 1 {
			names = append(names, attempt.Step)
		}
	}
	for i, name := range names {
		if times[name] > 1 {
			names[i] = fmt.Sprintf("%s x%d", name, times[name])
		}
	}
	return cmp.Or(strings.Join(names, ", "), "-")
}

// stats prints statistics of repairs.
func (t *text) stats(s explain.Stats) {
	var outcomes []string
	for _, name := range slices.Sorted(maps.Keys(s.Outcomes)) {
		outcomes = append(outcomes, fmt.Sprintf("%d %s", s.Outcomes[name], name))
	}
	sum := fmt.Sprintf("%s, %d of them open", explain.Count(s.Repairs, "repair"), s.Open)
	if len(outcomes) > 0 {
		sum += ". " + strings.Join(outcomes, ", ")
	}
	if s.Unproven > 0 {
		sum += fmt.Sprintf("; %s unproven, since the plan ends when the machine is gone", explain.Number(s.Unproven))
	}
	fmt.Fprintln(t.w, sum)
	tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	if len(s.Times) > 0 {
		fmt.Fprintln(tw, "\nTIME TO\tREPAIRS\tP50\tP90\tP99")
	}
	for _, one := range s.Times {
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\n", one.Part, one.Of, explain.Seconds(one.P50), explain.Seconds(one.P90), explain.Seconds(one.P99))
	}
	if len(s.Steps) > 0 {
		fmt.Fprintln(tw, "\nSTEP\tTRIED\tHELPED\tUNPROVEN")
	}
	for _, one := range s.Steps {
		helped := "-"
		if percent, known := one.Percent(); known {
			helped = fmt.Sprintf("%d (%d%%)", one.Helped, percent)
		}
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\n", one.Step, one.Tried, helped, number(one.Unproven))
	}
	if len(s.Again) > 0 {
		fmt.Fprintln(tw, "\nREPEATED\tREPAIRS")
	}
	for _, one := range s.Again {
		fmt.Fprintf(tw, "%s %s/%s\t%d\n", one.Kind, one.Namespace, one.Name, one.Repairs)
	}
	_ = tw.Flush()
}
