package soak

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Report is the result of a soak.
type Report struct {
	// Inflicted counts the faults of each kind.
	Inflicted map[Kind]int
	Samples   []Sample
	Trends    []Trend
	// Violations are sentences about what must not have happened.
	Violations []string
}

// Write writes the report for people.
func (r *Report) Write(to io.Writer) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "What happened\ttimes\n")
	for _, kind := range slices.Sorted(maps.Keys(r.Inflicted)) {
		fmt.Fprintf(out, "  %s\t%d\n", kind, r.Inflicted[kind])
	}
	if len(r.Trends) > 0 {
		fmt.Fprintf(out, "\nMedian in the\tsecond quarter\tlast quarter\tallowed\n")
	}
	for _, t := range r.Trends {
		fmt.Fprintf(out, "  %s\t%.1f\t%.1f\t%.1f\n", t.Name, t.First/t.Unit, t.Last/t.Unit, t.allowed()/t.Unit)
	}
	fmt.Fprintln(out)
	for _, sentence := range r.Violations {
		fmt.Fprintln(out, sentence)
	}
	if len(r.Violations) == 0 {
		fmt.Fprintln(out, "Everything stayed flat, and once faults had ended, all machines were healthy.")
	}
	return out.Flush()
}
