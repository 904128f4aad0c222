package report

import (
	"fmt"
	"slices"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// goal is a goal of Sickbay. Whether it is reached is a plain comparison; explaining why not is left to people.
type goal struct {
	of, sentence string
	// most is the greatest allowed value, in a unit of result.Info, or in "times" for a ratio.
	most  float64
	unit  string
	value reading
}

// reading returns a measured value, if there is one.
type reading func(result.Report) (float64, bool)

const times = "times"

func goals() []goal {
	return slices.Concat(soon(), cheap(), hanging(), scale())
}

// soon returns the goals for how soon Sickbay acts.
func soon() []goal {
	const storm = "Storm of 1,000 in 10,000 machines"
	return []goal{
		{"Verdict, p99, 10,000 machines", "under 1 s after the deadline", 1, "s", amount(result.VerdictP99, result.Large)},
		{"", "at most 1/20 of upstream", 1. / 20, times, to(result.Upstream, result.VerdictP99, result.Large)},
		{"Mark, p99, 10,000 machines", "under 1 s after the deadline", 1, "s", amount(result.MarkP99, result.Large)},
		{"", "at most 1/20 of upstream", 1. / 20, times, to(result.Upstream, result.MarkP99, result.Large)},
		{storm + ", 99 of the first 100 marks", "under 1 s after the deadline", 1, "s", amount(result.StormFirst, result.Large)},
		{storm + ", last mark", "at most 1.3 times the floor", 1.3, times, to(result.Floor, result.StormMark, result.Large)},
		{"During such a storm, a machine of another cluster", "verdict under 1 s after its deadline", 1, "s", amount(result.LoneVerdict, result.Mixed)},
		{"", "mark under 1 s after its deadline", 1, "s", amount(result.LoneMark, result.Mixed)},
		{"Start, 10,000 machines", "under 15 s to the last verdict that had to be changed", 15, "s", amount(result.Start, result.Large)},
		{"", "at most 1.2 times the floor to the last of all verdicts, when there were none", 1.2, times, to(result.Floor, result.FirstStart, result.Large)},
	}
}

// cheap returns the goals for what Sickbay costs.
func cheap() []goal {
	return []goal{
		{"Heartbeats, CPU, 10,000 machines", "at most 1.5 times the floor", 1.5, times, to(result.Floor, result.HeartbeatCPU, result.Large)},
		{"", "the same as with 1,000 machines (1.25 times at most)", 1.25, times, over(amount(result.HeartbeatCPU, result.Large), amount(result.HeartbeatCPU, result.Middle))},
		{"Writes at rest, any fleet", "none", 0, "1", greatest(result.IdleWrites)},
		{"Writes for a remedy, any fleet", "at most 6", 6, "1", greatest(result.RemedyWrites)},
		{"Requests for a remedy, any fleet", "at most 12, those that read and events included", 12, "1", greatest(result.RemedyRequests)},
		{"Memory, 10,000 machines", "at most half of upstream", 0.5, times, to(result.Upstream, result.Memory, result.Large)},
		{"Bytes read by a start, 10,000 machines", "at most 1.2 times one list of what is watched", 1.2, times, to(result.Floor, result.ReadBytes, result.Large)},
		{"A cluster of 10,000 machines hangs, CPU in a minute", "under 1 s", 1, "s", amount(result.OutageCPU, result.Large)},
	}
}

// hanging returns the goals for the other clusters while some hang.
func hanging() []goal {
	var all []goal
	for _, n := range result.Hanging()[1:] {
		of := fmt.Sprintf("%d hanging of 100 clusters, p99 in the others", n)
		all = append(all,
			goal{of, "verdict as without (1.5 times at most)", 1.5, times, over(amount(result.HangVerdict(n), result.Many), amount(result.HangVerdict(0), result.Many))},
			goal{"", "mark as without (1.5 times at most)", 1.5, times, over(amount(result.HangMark(n), result.Many), amount(result.HangMark(0), result.Many))},
		)
	}
	return all
}

// scale returns the goals for one process with 100,000 machines.
func scale() []goal {
	return []goal{
		{"100,000 machines in one process", "memory under 4 GiB", 4 << 30, "B", whole(result.Huge)},
		{"", "verdict, p99, under 1 s after the deadline", 1, "s", amount(result.VerdictP99, result.Huge)},
		{"", "heartbeats, CPU, as with 1,000 (1.25 times at most)", 1.25, times, over(amount(result.HeartbeatCPU, result.Huge), amount(result.HeartbeatCPU, result.Few))},
		{"", "99 of the first 100 marks of a storm of 1,000 under 1 s after the deadline", 1, "s", amount(result.StormFirst, result.Huge)},
		{"", "during it, a machine of another cluster: mark under 1 s after its deadline", 1, "s", amount(result.LoneMark, result.Huge)},
		{"", "bytes read by a start at most 1.2 times one list of what is watched", 1.2, times, to(result.Floor, result.ReadBytes, result.Huge)},
	}
}

// whole returns the memory for a whole fleet.
func whole(f result.Fleet) reading {
	return func(r result.Report) (float64, bool) {
		value, measured := amount(result.Memory, f)(r)
		return memory(f, value), measured
	}
}

// amount returns the median of a measure.
func amount(m result.Measure, f result.Fleet) reading {
	return func(r result.Report) (float64, bool) { return r.Median(m, f, result.Sickbay) }
}

// greatest returns the greatest value of all rounds with all fleets.
func greatest(m result.Measure) reading {
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
func to(other result.Subject, m result.Measure, f result.Fleet) reading {
	return func(r result.Report) (float64, bool) { return r.Ratio(m, f, result.Sickbay, other) }
}

// over returns the ratio of two amounts.
func over(of, by reading) reading {
	return func(r result.Report) (float64, bool) {
		a, found := of(r)
		b, foundToo := by(r)
		if !found || !foundToo || b == 0 {
			return 0, false
		}
		return a / b, true
	}
}
