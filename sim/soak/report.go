package soak

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/sickbay-dev/sickbay/sim/forecast"
)

// Report is the result of a soak.
type Report struct {
	Options Options
	// Inflicted counts the injected faults of each kind; Left counts those that were left out because their place
	// already had a fault.
	Inflicted map[Kind]int
	Left      int
	Summary   Summary
	// Forecasts are about what explain predicted.
	Forecasts forecast.Report
	Samples   []Sample
	Trends    []Trend
	// Violations are sentences about what must not have happened.
	Violations []string
}

func (r *Report) judge(l *Ledger, others []string) {
	r.Summary = Summarize(l, r.Options.Allowances)
	trends, grown := Trends(r.Samples, r.Options.Duration, r.Options.Limits)
	r.Trends = trends
	r.Violations = slices.Concat(others, Judge(l, r.Options.Allowances), grown)
}

// Write writes the report for people.
func (r *Report) Write(to io.Writer) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	shape := r.Options.Shape
	fmt.Fprintf(out, "%d clusters of %d machines, for %s\n", shape.Clusters, shape.Machines, r.Options.Duration)
	fmt.Fprintf(out, "\nWhat happened\ttimes\n")
	for _, kind := range slices.Sorted(maps.Keys(r.Inflicted)) {
		fmt.Fprintf(out, "  %s\t%d\n", kind, r.Inflicted[kind])
	}
	fmt.Fprintf(out, "  (left out, since something else went on there)\t%d\n", r.Left)
	s := r.Summary
	fmt.Fprintf(out, "\nSick beyond the deadline\t%d\n", s.Due)
	fmt.Fprintf(out, "  marked for the owner, and replaced\t%d\n", s.Remedied)
	fmt.Fprintf(out, "  recovered before that\t%d\n", s.Recovered)
	fmt.Fprintf(out, "  left at the end\t%d\n", s.Left)
	fmt.Fprintf(out, "\nSick beyond the deadline while\ttimes\n")
	for _, why := range slices.Sorted(maps.Keys(s.Reasons)) {
		fmt.Fprintf(out, "  %s\t%d\n", why, s.Reasons[why])
	}
	fmt.Fprintf(out, "\nMarked after\ttimes\tmedian\tlongest\n")
	spread(out, "the deadline, if nothing hindered", s.Delays)
	spread(out, "the cluster was silent beyond it", s.AfterSilence)
	fmt.Fprintf(out, "\nExplain said what would happen\t%d\n", r.Forecasts.Kept)
	fmt.Fprintf(out, "  and it happened within a second\t%d\n", r.Forecasts.Prompt)
	fmt.Fprintf(out, "  later: the manager was restarted, or the machine was busy\t%d\n", r.Forecasts.Excused)
	fmt.Fprintf(out, "  later without that\t%d\n", len(r.Forecasts.Late))
	fmt.Fprintf(out, "\nMedian in the\tsecond quarter\tlast quarter\tallowed\n")
	for _, t := range r.Trends {
		fmt.Fprintf(out, "  %s\t%.1f\t%.1f\t%.1f\n", t.Name, t.First/t.Unit, t.Last/t.Unit, t.allowed()/t.Unit)
	}
	fmt.Fprintln(out)
	for _, sentence := range r.Violations {
		fmt.Fprintln(out, sentence)
	}
	if len(r.Violations) == 0 {
		fmt.Fprintln(out, "Everything stayed flat, every sick machine was remediated or has a stated reason, nobody healthy was touched, and what explain said came true.")
	}
	return out.Flush()
}

func spread(out io.Writer, what string, times []time.Duration) {
	if len(times) == 0 {
		fmt.Fprintf(out, "  %s\t0\n", what)
		return
	}
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	fmt.Fprintf(out, "  %s\t%d\t%s\t%s\n", what, len(times), round(times[len(times)/2]), round(times[len(times)-1]))
}

// addForecasts adds the outcome of explain's predictions. An event that came late without an excuse, or never, is a violation.
func (r *Report) addForecasts(all forecast.Report) {
	r.Forecasts = all
	for _, one := range all.Late {
		r.Violations = append(r.Violations, "What explain said came late. "+one.String()+".")
	}
	for _, one := range all.Broken {
		r.Violations = append(r.Violations, "What explain said did not come true. "+one+".")
	}
}
