package soak

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Kind is what happens.
type Kind string

// What can happen.
const (
	// NotReady, Lost and Gone stay until the machine is replaced.
	NotReady Kind = "Node not ready"
	Lost     Kind = "Node unknown"
	Gone     Kind = "Node deleted"
	// Flap is over before it is due.
	Flap Kind = "Node not ready for a moment"
	// Skipped is a Node that is not ready while its Machine is to be left alone.
	Skipped Kind = "Node not ready, machine to be skipped"
	// Storm has many machines of a cluster fall sick at once. Those that are not replaced recover.
	Storm Kind = "Nodes not ready, many in a cluster"
	// Hang has the API server of a workload cluster answer nobody.
	Hang Kind = "cluster silent"
	// Pause is that of a MachineHealthCheck.
	Pause Kind = "MachineHealthCheck paused"
	// Kill ends the manager without a warning. It is started again.
	Kill Kind = "manager killed"
)

// draws says how likely things are, but for Kill, and how long they last.
var draws = []struct {
	kind        Kind
	weight      int
	least, most time.Duration
}{
	{NotReady, 24, 0, 0},
	{Lost, 16, 0, 0},
	{Gone, 16, 0, 0},
	// The deadline is fleet.NodeTimeout after a time stamp without fractions of a second.
	{Flap, 20, time.Second, 3 * time.Second},
	{Skipped, 8, 8 * time.Second, 15 * time.Second},
	{Storm, 4, 12 * time.Second, 30 * time.Second},
	{Hang, 5, 5 * time.Second, 80 * time.Second},
	{Pause, 7, 8 * time.Second, 30 * time.Second},
}

const (
	// kills is how often the manager is killed: in the first sixth of the time. Then one process lives through the rest,
	// which is what is judged: a leak has long to show, and nothing is compared with a process that has just begun.
	kills      = 2
	killsUntil = 6
	downMost   = 4 * time.Second
	// A storm hits between these percentages of a cluster: less than its budget, or more.
	stormLeast, stormMost = 10, 60
)

// Fault is one thing that happens.
type Fault struct {
	// At is when, after the beginning.
	At   time.Duration
	Kind Kind
	// Cluster and Machine are what it befalls: the number of a cluster, and of a machine in it. Not every kind needs both.
	Cluster, Machine int
	// Percent of the machines of the cluster, if it is a storm.
	Percent int
	// Lasts is how long, unless it lasts until the machine is replaced.
	Lasts time.Duration
}

// Plan returns what is to happen to a fleet for a time, in its order: one fault after the other, every so often on average. The
// same seed gives the same plan.
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

// between includes the first and the last.
func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)+1))
}
