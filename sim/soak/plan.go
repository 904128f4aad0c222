package soak

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	// NotReady, Lost and Gone stay until the machine is replaced.
	NotReady Kind = "Node not ready"
	Lost     Kind = "Node unknown"
	Gone     Kind = "Node deleted"
	// Flap ends before its deadline.
	Flap Kind = "Node not ready for a moment"
	// Skipped is a Node that is not ready while its Machine is annotated to be skipped.
	Skipped Kind = "Node not ready, machine to be skipped"
	// Storm makes many machines of a cluster sick at once. Those that are not replaced recover.
	Storm Kind = "Nodes not ready, many in a cluster"
	// Hang makes the API server of a workload cluster hang.
	Hang Kind = "cluster silent"
	// Pause pauses a MachineHealthCheck.
	Pause Kind = "MachineHealthCheck paused"
	// Kill kills the manager and starts it again.
	Kill Kind = "manager killed"
)

// draws says how likely each fault is, except Kill, and how long it lasts.
var draws = []struct {
	kind        Kind
	weight      int
	least, most time.Duration
}{
	{NotReady, 24, 0, 0},
	{Lost, 16, 0, 0},
	{Gone, 16, 0, 0},
	// The deadline is fleet.NodeTimeout after a timestamp in whole seconds.
	{Flap, 20, time.Second, 3 * time.Second},
	{Skipped, 8, 8 * time.Second, 15 * time.Second},
	{Storm, 4, 12 * time.Second, 30 * time.Second},
	{Hang, 5, 5 * time.Second, 80 * time.Second},
	{Pause, 7, 8 * time.Second, 30 * time.Second},
}

const (
	// kills is how often the manager is killed, all in the first sixth of the time. One process then lives through the rest,
	// which the test judges: a leak has a long time to show, and nothing is compared with a process that has just started.
	kills      = 2
	killsUntil = 6
	downMost   = 4 * time.Second
	// A storm hits a share of a cluster between these percentages, below or above its budget.
	stormLeast, stormMost = 10, 60
)

// Fault is one fault of a plan.
type Fault struct {
	// At is the time since the beginning.
	At   time.Duration
	Kind Kind
	// Cluster and Machine say where: the index of a cluster, and of a machine in it. Not every kind needs both.
	Cluster, Machine int
	// Percent is the share of the cluster's machines that a storm hits.
	Percent int
	// Lasts is the duration, unless the fault lasts until the machine is replaced.
	Lasts time.Duration
}

// Plan returns the faults for a fleet in chronological order, one per interval on average. The same seed gives the same plan.
func Plan(seed uint64, shape result.Fleet, duration, every time.Duration) []Fault {
	random := rand.New(rand.NewPCG(seed, 0))
	var plan []Fault
	for n := range time.Duration(kills) {
		part := duration / killsUntil / kills
		plan = append(plan, Fault{At: between(random, n*part, (n+1)*part-1), Kind: Kill, Lasts: between(random, 0, downMost)})
	}
	for at := between(random, 0, 2*every); at < duration; at += between(random, 0, 2*every) {
		plan = append(plan, draw(random, at, shape))
	}
	slices.SortStableFunc(plan, func(a, b Fault) int { return int(a.At - b.At) })
	return plan
}

func draw(random *rand.Rand, at time.Duration, shape result.Fleet) Fault {
	sum := 0
	for _, d := range draws {
		sum += d.weight
	}
	which, pick := 0, random.IntN(sum)
	for pick >= draws[which].weight {
		pick -= draws[which].weight
		which++
	}
	f := Fault{
		At: at, Kind: draws[which].kind, Lasts: between(random, draws[which].least, draws[which].most),
		Cluster: random.IntN(shape.Clusters), Machine: random.IntN(shape.Machines),
	}
	if f.Kind == Storm {
		f.Percent = stormLeast + random.IntN(stormMost-stormLeast+1)
	}
	return f
}

// between returns a random duration from least to most, both included.
func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)+1))
}
