// Package measure runs subjects with fleets, one after the other, and takes the figures.
package measure

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Plan says what is measured and how long.
type Plan struct {
	Fleets   []result.Fleet
	Subjects []result.Subject
	// Rounds is how often each figure is taken.
	Rounds int
	// Starts is how often a subject is started again, with the fleets in Restarted.
	Starts    int
	Restarted []result.Fleet
	// Unlimited are the fleets with which upstream is measured without its limit, too.
	Unlimited []result.Fleet
	// Alone is for how many seconds machines fall sick one by one, PerSecond in each. It must be less than
	// fleet.NodeTimeout.
	Alone, PerSecond int
	// Beats is for how long Nodes beat in a round, BeatsPerSecond in all, whatever the size of the fleet.
	Beats          time.Duration
	BeatsPerSecond int
	// Failover is the fleet whose leader dies.
	Failover result.Fleet
	// Profiles is a directory for those of the subjects with one fleet; without it there are none.
	Profiles string
	Profiled result.Fleet
}

// Full is the plan behind docs/benchmarks.md.
func Full() Plan {
	small, middle, large, many := result.Fleet{Clusters: 1, Machines: 100}, result.Fleet{Clusters: 1, Machines: 1000},
		result.Fleet{Clusters: 1, Machines: 10_000}, result.Fleet{Clusters: 100, Machines: 100}
	return Plan{
		// Those first of which there is most to say, as a run may be interrupted.
		Fleets:   []result.Fleet{large, many, middle, small},
		Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Unlimited, result.Floor},
		Rounds:   3, Starts: 3, Alone: 4, PerSecond: 5,
		// Real Nodes have something to say every five minutes: 33 in a second, if there are 10,000.
		// As upstream looks once in 15 seconds, one look falls into each round.
		Beats: 15 * time.Second, BeatsPerSecond: 33,
		Restarted: []result.Fleet{large}, Unlimited: []result.Fleet{large, middle}, Failover: middle, Profiled: large,
	}
}

// Quick is one that takes three minutes, for every change of the code.
func Quick() Plan {
	return Plan{
		Fleets: []result.Fleet{{Clusters: 1, Machines: 200}}, Rounds: 1, Alone: 4, PerSecond: 1,
		Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Floor},
		Beats:    10 * time.Second, BeatsPerSecond: 33,
	}
}

// stormShare is the part of a fleet that falls sick in a storm.
const stormShare = 10

// absentShare is the part of a fleet that falls sick while the subject is not there.
const absentShare = 100

// subjects are those that are measured with a fleet.
func (p Plan) subjects(shape result.Fleet) []result.Subject {
	if slices.Contains(p.Unlimited, shape) {
		return p.Subjects
	}
	return slices.DeleteFunc(slices.Clone(p.Subjects), func(s result.Subject) bool { return s == result.Unlimited })
}

// starts is how often a subject is started again with a fleet. The limit of upstream makes no difference to that.
func (p Plan) starts(who result.Subject, shape result.Fleet) int {
	if who == result.Unlimited || !slices.Contains(p.Restarted, shape) {
		return 0
	}
	return p.Starts
}

// profiles reports whether there are profiles of a subject with a fleet.
func (p Plan) profiles(who result.Subject, shape result.Fleet) bool {
	return p.Profiles != "" && shape == p.Profiled && who != result.Unlimited
}

// failsOver reports whether a leader is to die.
func (p Plan) failsOver(who result.Subject, shape result.Fleet) bool {
	return shape == p.Failover && who != result.Unlimited
}
