// Package measure runs subjects with fleets, one after the other, and takes the figures.
package measure

import (
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Plan says what is measured and how long.
type Plan struct {
	Fleets   []result.Fleet
	Subjects []result.Subject
	// Rounds is how often each figure is taken.
	Rounds int
	// Starts is how often a subject is started again.
	Starts int
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
	return Plan{
		Fleets: []result.Fleet{
			{Clusters: 1, Machines: 100}, {Clusters: 1, Machines: 1000}, {Clusters: 1, Machines: 10_000}, {Clusters: 100, Machines: 100},
		},
		Rounds: 3, Starts: 3, Alone: 4, PerSecond: 5,
		Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Unlimited, result.Floor},
		// Real Nodes have something to say every five minutes: 33 in a second, if there are 10,000.
		Beats: 15 * time.Second, BeatsPerSecond: 33,
		Failover: result.Fleet{Clusters: 1, Machines: 1000}, Profiled: result.Fleet{Clusters: 1, Machines: 10_000},
	}
}

// Quick is one that takes three minutes, for every change of the code.
func Quick() Plan {
	return Plan{
		Fleets: []result.Fleet{{Clusters: 1, Machines: 500}}, Rounds: 1, Alone: 4, PerSecond: 1,
		Subjects: []result.Subject{result.Sickbay, result.Upstream, result.Floor},
		Beats:    15 * time.Second, BeatsPerSecond: 33,
	}
}

// stormShare is the part of a fleet that falls sick in a storm.
const stormShare = 10

// absentShare is the part of a fleet that falls sick while the subject is not there.
const absentShare = 100
