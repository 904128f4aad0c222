package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// The fleets in the goals.
var (
	large  = result.Fleet{Clusters: 1, Machines: 10_000}
	middle = result.Fleet{Clusters: 1, Machines: 1000}
	few    = result.Fleet{Clusters: 10, Machines: 100}
	many   = result.Fleet{Clusters: 100, Machines: 100}
	mixed  = result.Fleet{Clusters: 10, Machines: 100, Large: 10_000}
	huge   = result.Fleet{Clusters: 900, Machines: 100, Large: 10_000}
)

// goal is a goal of Sickbay. Whether it is reached is a plain comparison; explaining why not is left to
// people.
type goal struct {
	of, sentence string
	// most is the greatest allowed value, in a unit of result.Info, or in "times" for a ratio.
	most float64
	unit string
	// value returns the measured value, if any.
	value func(result.Report) (float64, bool)
}

const times = "times"

func goals() []goal {
	return slices.Concat(soon(), cheap(), hanging(), scale())
}

// soon returns the goals for how soon Sickbay acts.
func soon() []goal {
	const storm = "Storm of 1,000 in 10,000 machines"
	return []goal{
		{"Verdict, p99, 10,000 machines", "under 1 s after the deadline", 1, "s", amount(result.VerdictP99, large)},
		{"", "at most 1/20 of upstream", 1. / 20, times, to(result.Upstream, result.VerdictP99, large)},
		{"Mark, p99, 10,000 machines", "under 1 s after the deadline", 1, "s", amount(result.MarkP99, large)},
		{"", "at most 1/20 of upstream", 1. / 20, times, to(result.Upstream, result.MarkP99, large)},
		{storm + ", 99 of the first 100 marks", "under 1 s after the deadline", 1, "s", amount(result.StormFirst, large)},
		{storm + ", last mark", "at most 1.3 times the floor", 1.3, times, to(result.Floor, result.StormMark, large)},
		{"During such a storm, a machine of another cluster", "verdict under 1 s after its deadline", 1, "s", amount(result.LoneVerdict, mixed)},
		{"", "mark under 1 s after its deadline", 1, "s", amount(result.LoneMark, mixed)},
		{"Start, 10,000 machines", "under 15 s to the last verdict that had to be changed", 15, "s", amount(result.Start, large)},
		{"", "at most 1.2 times the floor to the last of all verdicts, when there were none", 1.2, times, to(result.Floor, result.FirstStart, large)},
	}
}

// cheap returns the goals for what Sickbay costs.
func cheap() []goal {
	return []goal{
		{"Heartbeats, CPU, 10,000 machines", "at most 1.5 times the floor", 1.5, times, to(result.Floor, result.HeartbeatCPU, large)},
		{"", "the same as with 1,000 machines (1.25 times at most)", 1.25, times, grown(result.HeartbeatCPU, middle, large)},
		{"Writes at rest, any fleet", "none", 0, "1", greatest(result.IdleWrites)},
		{"Writes for a remedy, any fleet", "at most 6", 6, "1", greatest(result.RemedyWrites)},
		{"Requests for a remedy, any fleet", "at most 12, those that read and events included", 12, "1", greatest(result.RemedyRequests)},
		{"Memory, 10,000 machines", "at most half of upstream", 0.5, times, to(result.Upstream, result.Memory, large)},
		{"Bytes read by a start, 10,000 machines", "at most 1.2 times one list of what is watched", 1.2, times, to(result.Floor, result.ReadBytes, large)},
		{"A cluster of 10,000 machines hangs, CPU in a minute", "under 1 s", 1, "s", amount(result.OutageCPU, large)},
	}
}

// hanging returns the goals for the other clusters while some hang.
func hanging() []goal {
	var all []goal
	for _, n := range result.Hanging()[1:] {
		of := fmt.Sprintf("%d hanging of 100 clusters, p99 in the others", n)
		all = append(all,
			goal{of, "verdict as without (1.5 times at most)", 1.5, times, against(result.HangVerdict(n), result.HangVerdict(0), many)},
			goal{"", "mark as without (1.5 times at most)", 1.5, times, against(result.HangMark(n), result.HangMark(0), many)},
		)
	}
	return all
}

// scale returns the goals for one process with 100,000 machines.
func scale() []goal {
	return []goal{
		{"100,000 machines in one process", "memory under 4 GiB", 4 << 30, "B", whole(huge)},
		{"", "verdict, p99, under 1 s after the deadline", 1, "s", amount(result.VerdictP99, huge)},
		{"", "heartbeats, CPU, as with 1,000 (1.25 times at most)", 1.25, times, grown(result.HeartbeatCPU, few, huge)},
		{"", "99 of the first 100 marks of a storm of 1,000 under 1 s after the deadline", 1, "s", amount(result.StormFirst, huge)},
		{"", "during it, a machine of another cluster: mark under 1 s after its deadline", 1, "s", amount(result.LoneMark, huge)},
		{"", "bytes read by a start at most 1.2 times one list of what is watched", 1.2, times, to(result.Floor, result.ReadBytes, huge)},
	}
}

// whole returns the memory for a whole fleet.
func whole(f result.Fleet) func(result.Report) (float64, bool) {
	return func(r result.Report) (float64, bool) {
		value, measured := amount(result.Memory, f)(r)
		return memory(f, value), measured
	}
}

// verdicts renders which goals were reached; nothing if none of them was measured.
func verdicts(r result.Report) string {
	var text strings.Builder
	of := ""
	for _, g := range goals() {
		if g.of != "" {
			of = g.of
		}
		value, measured := g.value(r)
		if !measured {
			continue
		}
		reached := "yes"
		if value > g.most {
			reached = "**no**"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", of, g.sentence, g.amount(value), reached)
		of = ""
	}
	if text.Len() == 0 {
		return ""
	}
	return "| | Goal | Measured | Reached |\n| --- | --- | ---: | --- |\n" + text.String()
}

func (g goal) amount(value float64) string {
	if g.unit == times {
		return ratio(value)
	}
	return amounts(g.unit, value)
}

// amount returns the median of a measure.
func amount(m result.Measure, f result.Fleet) func(result.Report) (float64, bool) {
	return func(r result.Report) (float64, bool) {
		figure, found := r.Find(m, f, result.Sickbay)
		if !found {
			return 0, false
		}
		return figure.Median(), true
	}
}

// greatest returns the greatest value of all rounds with all fleets.
func greatest(m result.Measure) func(result.Report) (float64, bool) {
	return func(r result.Report) (value float64, measured bool) {
		for _, f := range r.Fleets() {
			if figure, found := r.Find(m, f, result.Sickbay); found {
				value, measured = max(value, figure.Max()), true
			}
		}
		return value, measured
	}
}

// to returns the ratio to another subject.
func to(other result.Subject, m result.Measure, f result.Fleet) func(result.Report) (float64, bool) {
	return func(r result.Report) (float64, bool) { return r.Ratio(m, f, result.Sickbay, other) }
}

// grown returns the ratio of a measure with a large fleet to that with a small one.
func grown(m result.Measure, small, big result.Fleet) func(result.Report) (float64, bool) {
	return quotient(amount(m, big), amount(m, small))
}

// against returns the ratio of two measures.
func against(m, other result.Measure, f result.Fleet) func(result.Report) (float64, bool) {
	return quotient(amount(m, f), amount(other, f))
}

func quotient(of, by func(result.Report) (float64, bool)) func(result.Report) (float64, bool) {
	return func(r result.Report) (float64, bool) {
		a, found := of(r)
		b, foundToo := by(r)
		if !found || !foundToo || b == 0 {
			return 0, false
		}
		return a / b, true
	}
}
