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
// what a start reads, clusters that hang, a large cluster that hangs, and the end of a leader.
const (
	partRest     Part = "rest"
	partAlone    Part = "alone"
	partStorm    Part = "storm"
	partStart    Part = "start"
	partReads    Part = "reads"
	partHang     Part = "hang"
	partOutage   Part = "outage"
	partFailover Part = "failover"
)

// Parts returns all parts.
func Parts() []Part {
	return []Part{partRest, partAlone, partStorm, partStart, partReads, partHang, partOutage, partFailover}
}

// Plan says what to measure and for how long.
type Plan struct {
	Fleets   []result.Fleet
	Subjects []result.Subject
	// Only are the parts to measure; all if it is empty.
	Only []Part
	// Rounds is how often each figure is taken.
	Rounds int
	// Starts is how often a subject is restarted, with the fleets in Restarted.
	Starts    int
	Restarted []result.Fleet
	// Metered are the fleets with which the reads of a start of Sickbay are counted.
	Metered []result.Fleet
	// Hung is the fleet whose clusters hang; Hanging are the numbers of clusters that hang at once.
	Hung    result.Fleet
	Hanging []int
	// Silent is the fleet whose largest cluster hangs for minutes.
	Silent result.Fleet
	// Compared are the fleets with which upstream is measured, and Unlimited those with which it is also measured without its limit.
	Compared, Unlimited []result.Fleet
	// Alone is for how many seconds machines fall sick one by one, PerSecond of them in each second. It must be less than
	// fleet.NodeTimeout.
	Alone, PerSecond int
	// Beats is how long Nodes send heartbeats in a round, and BeatsPerSecond how many in all; fleets of more than 10,000
	// machines send more.
	Beats          time.Duration
	BeatsPerSecond int
	// Failover is the fleet whose leader is killed.
	Failover result.Fleet
	// Profiles is a directory for profiles of the subjects with the fleet Profiled; if it is empty, there are none.
	Profiles string
	Profiled result.Fleet
}

// Full returns the plan behind docs/benchmarks.md: Sickbay beside upstream.
func Full() Plan {
	return Plan{
		// The most interesting first, because a run may be interrupted.
		Fleets:   []result.Fleet{result.Large, result.Many, result.Mixed, result.Middle, result.Small},
		Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Unlimited, result.Floor},
		Rounds:   3, Starts: 3, Alone: 4, PerSecond: 5,
		// Real Nodes report every five minutes: 10,000 of them 33 times per second. Upstream looks every 15 seconds, so one
		// look falls into each round.
		Beats: 15 * time.Second, BeatsPerSecond: 33,
		Restarted: []result.Fleet{result.Large}, Metered: []result.Fleet{result.Large, result.Mixed}, Hung: result.Many, Hanging: result.Hanging(), Silent: result.Large,
		Compared: []result.Fleet{result.Large, result.Many, result.Middle, result.Small}, Unlimited: []result.Fleet{result.Large, result.Middle}, Failover: result.Middle, Profiled: result.Large,
	}
}

// Scale returns the plan for how much one process can handle: more and more clusters of 100 machines.
func Scale() Plan {
	return Plan{
		Fleets: []result.Fleet{result.Few, result.Many, result.Huge}, Subjects: []result.Subject{result.Sickbay, result.Floor},
		Rounds: 1, Alone: 4, PerSecond: 25, Beats: 30 * time.Second, BeatsPerSecond: 33,
		Metered: []result.Fleet{result.Few, result.Many, result.Huge}, Profiled: result.Huge,
	}
}

// Quick returns a plan that takes three minutes, for every change of the code.
func Quick() Plan {
	quick := result.Fleet{Clusters: 1, Machines: 200}
	return Plan{
		Fleets: []result.Fleet{quick}, Rounds: 1, Alone: 4, PerSecond: 1,
		Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Floor}, Compared: []result.Fleet{quick},
		Beats: 10 * time.Second, BeatsPerSecond: 33, Metered: []result.Fleet{quick},
	}
}

// Apply makes a plan measure everything with each of these fleets.
func (p *Plan) Apply(fleets []result.Fleet) {
	p.Fleets, p.Metered, p.Compared, p.Profiled = fleets, fleets, fleets, fleets[0]
	for _, f := range fleets {
		if f.Clusters > 1 {
			p.Hung = f
		}
		if f.Clusters == 1 || f.Large > 0 {
			p.Restarted, p.Silent, p.Failover = append(p.Restarted, f), f, f
		}
	}
}

// stormShare: one in so many machines of a fleet falls sick in a storm.
const stormShare = 10

// absentShare: one in so many machines of a fleet falls sick while the subject is not running.
const absentShare = 100

// does reports whether the plan measures a part.
func (p Plan) does(part Part) bool { return len(p.Only) == 0 || slices.Contains(p.Only, part) }

// subjects returns the subjects to measure with a fleet.
func (p Plan) subjects(shape result.Fleet) []result.Subject {
	return slices.DeleteFunc(slices.Clone(p.Subjects), func(s result.Subject) bool {
		return s == result.Unlimited && !slices.Contains(p.Unlimited, shape) || s == result.Upstream && !slices.Contains(p.Compared, shape)
	})
}

// starts returns how often to restart a subject with a fleet. Upstream's limit makes no difference there.
func (p Plan) starts(who result.Subject, shape result.Fleet) int {
	if !p.does(partStart) || who == result.Unlimited || !slices.Contains(p.Restarted, shape) {
		return 0
	}
	return p.Starts
}

// hangs returns how many clusters should hang at once. For upstream, one is slow enough.
func (p Plan) hangs(who result.Subject, shape result.Fleet) []int {
	if !p.does(partHang) || shape != p.Hung {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Hanging), func(n int) bool { return n >= shape.Clusters || who == result.Upstream && n != 1 })
}

// silences returns how often to have the same clusters hang. A figure of a round is the slowest of a few machines, and the first rounds of a
// silence are unlike the later ones, so Sickbay is measured in four silences. For upstream, one takes long enough.
func silences(who result.Subject) int {
	if who == result.Upstream {
		return 1
	}
	return 4
}

// profiles reports whether to profile a subject with a fleet.
func (p Plan) profiles(who result.Subject, shape result.Fleet) bool {
	return p.Profiles != "" && shape == p.Profiled && who != result.Unlimited
}

// failsOver reports whether to kill a leader.
func (p Plan) failsOver(who result.Subject, shape result.Fleet) bool {
	return p.does(partFailover) && shape == p.Failover && who != result.Unlimited
}
