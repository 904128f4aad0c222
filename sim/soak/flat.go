package soak

import (
	"context"
	"fmt"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Sample is what the manager used at one time.
type Sample struct {
	// At is the time since the beginning.
	At time.Duration
	// Goroutines is their number, Resident and Live are memory in bytes, and Depth is the sum over all work queues. Live is what
	// the last garbage collection left.
	Goroutines, Resident, Live, Depth float64
}

// Limit bounds the growth of one measure.
type Limit struct {
	Name string
	Of   func(Sample) float64
	// Share is the allowed growth as a share of the first value, and Beyond is allowed on top.
	Share, Beyond float64
	// Unit is the unit in reports.
	Unit float64
}

const mib = 1 << 20

// DefaultLimits returns the limits of a soak. With 2,000 machines and within half an hour, goroutines went from 593 to 592,
// resident memory from 112 to 118 MiB and the live heap from 24 to 25 MiB, and the queues were empty.
func DefaultLimits() []Limit {
	return []Limit{
		// A silent cluster has none, so their number varies by some at any time.
		{Name: "goroutines", Of: func(s Sample) float64 { return s.Goroutines }, Share: 0.05, Beyond: 20, Unit: 1},
		{Name: "resident memory (MiB)", Of: func(s Sample) float64 { return s.Resident }, Share: 0.1, Beyond: 12 * mib, Unit: mib},
		{Name: "live heap (MiB)", Of: func(s Sample) float64 { return s.Live }, Share: 0.1, Beyond: 4 * mib, Unit: mib},
		{Name: "depth of the work queues", Of: func(s Sample) float64 { return s.Depth }, Share: 0, Beyond: 5, Unit: 1},
	}
}

// Trend is the development of one measure.
type Trend struct {
	Limit
	// First and Last are the medians of the second and the last quarter of the time.
	First, Last float64
}

// allowed returns the maximum of Last.
func (t Trend) allowed() float64 { return t.First*(1+t.Share) + t.Beyond }

// fewest is the minimum number of samples in a quarter.
const fewest = 3

// Trends compares the second quarter of the time with the last one, and returns a sentence for each measure that grew too much.
// The first quarter is for warming up, as caches fill. Medians ignore single storms.
// Without limits, Trends judges nothing.
func Trends(samples []Sample, duration time.Duration, limits []Limit) ([]Trend, []string) {
	if len(limits) == 0 {
		return nil, nil
	}
	second, last := within(samples, duration/4, duration/2), within(samples, duration*3/4, duration)
	if len(second) < fewest || len(last) < fewest {
		return nil, []string{fmt.Sprintf("Nothing can be said about growth: there are %d samples of the second quarter and %d of the last.", len(second), len(last))}
	}
	var trends []Trend
	var violations []string
	for _, limit := range limits {
		t := Trend{Limit: limit, First: median(second, limit.Of), Last: median(last, limit.Of)}
		trends = append(trends, t)
		if t.Last > t.allowed() {
			violations = append(violations, fmt.Sprintf("The median of %s grew from %.1f in the second quarter to %.1f in the last; at most %.1f is flat.",
				t.Name, t.First/t.Unit, t.Last/t.Unit, t.allowed()/t.Unit))
		}
	}
	return trends, violations
}

func within(samples []Sample, from, to time.Duration) []Sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.At < from || s.At >= to })
}

func median(samples []Sample, of func(Sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	return result.Median(values)
}

const (
	// samplesLeast is the minimum number of samples, and sampleEvery the interval between samples if that gives more.
	samplesLeast = 40
	sampleEvery  = 10 * time.Second
)

// takeSamples takes samples of Sickbay until ctx ends.
func (s *soak) takeSamples(ctx context.Context) error {
	began := time.Now()
	for wait(ctx, min(sampleEvery, s.Duration/samplesLeast)) {
		families, err := s.process.Metrics(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		sample := Sample{At: time.Since(began), Depth: sum(families["workqueue_depth"])}
		sample.Goroutines, sample.Resident = sum(families["go_goroutines"]), sum(families["process_resident_memory_bytes"])
		sample.Live = sum(families["go_gc_heap_live_bytes"])
		s.report.Samples = append(s.report.Samples, sample)
	}
	return nil
}

// sum returns the sum of the gauges of a family, which may be nil.
func sum(family *dto.MetricFamily) float64 {
	all := 0.0
	for _, m := range family.GetMetric() {
		all += m.GetGauge().GetValue()
	}
	return all
}
