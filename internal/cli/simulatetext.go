package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// longest is how many lines of a timeline are shown without -o wide.
const longest = 25

// simulation prints what would happen.
func (t *text) simulation(r *simulate.Result, wide bool) {
	const indent = len("Assumed") + 2
	for i, assumption := range r.Assumptions {
		t.row([]string{"Assumed", ""}[min(i, 1)], assumption, indent)
	}
	shown, left := standing(r, wide)
	for i := range shown {
		if len(r.Checks) > 1 {
			fmt.Fprintln(t.w)
		}
		t.simulatedCheck(&shown[i], indent)
	}
	if left > 0 {
		fmt.Fprintf(t.w, "\nand %s without events (-o wide)\n", explain.Count(left, "MachineHealthCheck"))
	}
	if len(r.Timeline) > 0 {
		t.timeline(r, wide)
	}
	fmt.Fprintf(t.w, "\n%s\n", t.painter.paint(bold, r.Answer()))
	if r.Summary.Unfinished != "" {
		fmt.Fprintf(t.w, "Unfinished: %s\n", r.Summary.Unfinished)
	}
}

// standing returns the health checks that were changed or to which something happens; all of them with -o wide, or if there is only
// one. Left is the number of others.
func standing(r *simulate.Result, wide bool) (shown []simulate.Check, left int) {
	if wide || len(r.Checks) == 1 {
		return r.Checks, 0
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Change != "" || slices.ContainsFunc(r.Timeline, func(e simulate.Event) bool { return e.Namespace == c.Namespace && e.Check == c.Name }) {
			shown = append(shown, *c)
		}
	}
	return shown, len(r.Checks) - len(shown)
}

var changeWords = map[simulate.Change]string{simulate.New: " (new)", simulate.Changed: " (changed)"}

// simulatedCheck prints the state of a health check at the beginning.
func (t *text) simulatedCheck(c *simulate.Check, indent int) {
	first, rest, _ := strings.Cut(c.Headline, " ")
	painted := t.painter.paint(colors[strings.TrimRight(first, ";:,.")], first)
	t.row("Check", fmt.Sprintf("%s/%s%s: %s %s", c.Namespace, c.Name, changeWords[c.Change], painted, rest), indent)
	gate := c.Gate
	if strings.Contains(c.Headline, strings.TrimPrefix(gate, "Nothing is repaired: ")) {
		// The headline says it already.
		gate = ""
	}
	for _, row := range []explain.Row{{Label: "Gate", Text: gate}, {Label: "Slots", Text: c.Slots}, {Label: "Plan", Text: c.Plan}, {Label: "Overlap", Text: c.Overlap}} {
		if row.Text != "" {
			t.row(row.Label, row.Text, indent)
		}
	}
}

// timeline prints what happens, with the gate and the slots at that time.
func (t *text) timeline(r *simulate.Result, wide bool) {
	shown := r.Timeline
	if !wide {
		shown = r.Told()
		shown = shown[:min(len(shown), longest)]
	}
	slots, several := false, len(r.Checks) > 1
	for i := range r.Timeline {
		slots = slots || r.Timeline[i].Slots != nil
	}
	fmt.Fprintln(t.w)
	tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	line := func(at, check, unhealthy, used, who, what string) {
		fmt.Fprint(tw, at, "\t")
		if several {
			fmt.Fprint(tw, check, "\t")
		}
		fmt.Fprint(tw, unhealthy, "\t")
		if slots {
			fmt.Fprint(tw, used, "\t")
		}
		fmt.Fprint(tw, who, "\t", what, "\n")
	}
	line("TIME", "CHECK", "NOT HEALTHY", "SLOTS", "MACHINE", "WHAT")
	last := ""
	for i := range shown {
		e := &shown[i]
		at := explain.Clock(e.At, r.From)
		same := at == last
		last = at
		if same {
			at = ""
		}
		line(at, e.Namespace+"/"+e.Check, fmt.Sprintf("%d of %d", e.NotHealthy, e.Expected), e.Used(), cmp.Or(e.Who(wide), "("+e.Check+")"), inline(e.What))
	}
	t.flush(tw, len(r.Timeline)-len(shown))
}
