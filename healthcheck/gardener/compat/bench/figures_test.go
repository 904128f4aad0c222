package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// figures are the measured costs of a library.
type figures struct {
	library string
	objects int
	// initial is the time until all conditions were stored.
	initial, initialCPU time.Duration
	// The steady state is measured for a window.
	window, steadyCPU, serverCPU time.Duration
	requests, writes             int64
	// caches is the memory of a manager with only its caches; heap and resident are on top
	// of that.
	caches, heap, resident int64
	// latencies are the times from a change to the stored condition.
	latencies []time.Duration
}

// quantile returns the latency that the fraction q does not exceed.
func (f figures) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(f.latencies))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// row is one line of the table.
type row struct {
	name  string
	value func(figures) float64
	unit  string
}

func rows() []row {
	latency := func(q float64) func(figures) float64 {
		return func(f figures) float64 { return f.quantile(q).Seconds() * 1000 }
	}
	seconds := func(d func(figures) time.Duration) func(figures) float64 {
		return func(f figures) float64 { return d(f).Seconds() }
	}
	const mebibyte = 1 << 20
	return []row{
		{"initial pass", seconds(func(f figures) time.Duration { return f.initial }), "s"},
		{"  its processor time", seconds(func(f figures) time.Duration { return f.initialCPU }), "s"},
		{"steady state, processor time", seconds(func(f figures) time.Duration { return f.steadyCPU }), "s"},
		{"  of the API server", seconds(func(f figures) time.Duration { return f.serverCPU }), "s"},
		{"  requests", func(f figures) float64 { return float64(f.requests) }, ""},
		{"  writes", func(f figures) float64 { return float64(f.writes) }, ""},
		{"change to condition, median", latency(0.5), "ms"},
		{"  99 of 100", latency(0.99), "ms"},
		{"  slowest", latency(1), "ms"},
		{"memory alive, caches alone", func(f figures) float64 { return float64(f.caches) / mebibyte }, "MiB"},
		{"  on top of that", func(f figures) float64 { return float64(f.heap) / mebibyte }, "MiB"},
		{"  on top of that, resident", func(f figures) float64 { return float64(f.resident) / mebibyte }, "MiB"},
	}
}

// printTable prints figures side by side. The last column is how many times as much the
// original takes.
func printTable(out io.Writer, large, small, beside figures) {
	const line = "%-32s%12s%12s%12s%10s\n"
	fmt.Fprintf(out, line, "", large.library, small.library, beside.library, "ratio")
	fmt.Fprintf(out, line, "objects", fmt.Sprint(large.objects), fmt.Sprint(small.objects), fmt.Sprint(beside.objects), "")
	for _, r := range rows() {
		fmt.Fprintf(out, line, r.name, r.text(large), r.text(small), r.text(beside), ratio(r.value(small), r.value(beside)))
	}
	fmt.Fprintf(out, line, "changes measured", fmt.Sprint(len(large.latencies)), fmt.Sprint(len(small.latencies)), fmt.Sprint(len(beside.latencies)), "")
}

func (r row) text(f figures) string {
	value := r.value(f)
	digits := 0
	if r.unit != "" && value < 100 {
		digits = 1
	}
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", digits, value, r.unit))
}

func ratio(ours, theirs float64) string {
	if ours <= 0 || theirs < 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", theirs/ours)
}
