// Package measure runs subjects with fleets, one after the other, and takes the figures.
package measure

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Part is a part of the measurements that can be left out.
type Part string

// The parts: the cost of having nothing to do, machines that fall sick one by one, a storm, a start while machines are sick,
// what a start reads, clusters that hang, and a large cluster that hangs.
const (
	partRest   Part = "rest"
	partAlone  Part = "alone"
	partStorm  Part = "storm"
	partStart  Part = "start"
	partReads  Part = "reads"
	partHang   Part = "hang"
	partOutage Part = "outage"
)

// Parts returns all parts.
func Parts() []Part {
	return []Part{partRest, partAlone, partStorm, partStart, partReads, partHang, partOutage}
}

// Plan says what to measure and for how long.
type Plan struct {
	Fleets   []result.Fleet
	Subjects []result.Subject
	// Only are the parts to measure; all if it is empty.
	Only []Part
	// Rounds is how often each figure is taken.
	Rounds int
	// Alone is for how many seconds machines fall sick one by one, PerSecond of them in each second. It must be less than
	// fleet.NodeTimeout.
	Alone, PerSecond int
	// Beats is how long Nodes send heartbeats in a round.
	Beats time.Duration
	// Thorough adds what takes long: starts while machines are sick, clusters that hang, and a large one that does.
	Thorough bool
}

// Full returns the plan behind docs/benchmarks.md: Sickbay beside upstream.
func Full() Plan {
	return Plan{
		// The most interesting first, because a run may be interrupted.
		Fleets:   []result.Fleet{result.Large, result.Many, result.Mixed, result.Middle, result.Small},
		Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Floor},
		// Upstream looks every 15 seconds, so one look falls into each round.
		Rounds: 3, Alone: 4, PerSecond: 5, Beats: 15 * time.Second, Thorough: true,
	}
}

// Scale returns the plan for how much one process can handle: more and more clusters of 100 machines.
func Scale() Plan {
	return Plan{
		Fleets: []result.Fleet{result.Few, result.Many, result.Huge}, Subjects: []result.Subject{result.Sickbay, result.Floor},
		Rounds: 1, Alone: 4, PerSecond: 25, Beats: 30 * time.Second,
	}
}

// Quick returns a plan that takes three minutes, for every change of the code.
func Quick() Plan {
	return Plan{
		Fleets: []result.Fleet{{Clusters: 1, Machines: 200}}, Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Floor},
		Rounds: 1, Alone: 4, PerSecond: 1, Beats: 10 * time.Second,
	}
}

// stormShare: one in so many machines of a fleet falls sick in a storm.
const stormShare = 10

// absentShare: one in so many machines of a fleet falls sick while the subject is not running.
const absentShare = 100

// does reports whether the plan measures a part.
func (p Plan) does(part Part) bool { return len(p.Only) == 0 || slices.Contains(p.Only, part) }

// starts returns how often to restart a subject: only with fleets most of which is one cluster.
func (p Plan) starts(shape result.Fleet) int {
	if p.Thorough && p.does(partStart) && (shape.Clusters == 1 || shape.Large > 0) {
		return p.Rounds
	}
	return 0
}

// hangs returns how many clusters should hang at once. For upstream, one is slow enough.
func (p Plan) hangs(who result.Subject, shape result.Fleet) []int {
	if !p.Thorough || !p.does(partHang) || shape.Clusters == 1 || shape.Large > 0 {
		return nil
	}
	return slices.DeleteFunc(result.Hanging(), func(n int) bool { return n >= shape.Clusters || who == result.Upstream && n != 1 })
}

// silences returns how often to have the same clusters hang. A figure of a round is the slowest of a few machines, and the first rounds of a
// silence are unlike the later ones, so Sickbay is measured in four silences. For upstream, one takes long enough.
func silences(who result.Subject) int {
	if who == result.Upstream {
		return 1
	}
	return 4
}
