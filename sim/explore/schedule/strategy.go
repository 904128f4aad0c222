package schedule

import "math/rand/v2"

// Point is the kind of a choice in a run.
type Point int

const (
	// AtStep chooses what happens next, between two Reconciles.
	AtStep Point = iota
	// AtRead chooses what happens just before a process reads, and whether the read succeeds.
	AtRead
	// AtWrite chooses what happens just before and after a process writes, and whether the write succeeds.
	AtWrite
	// AtCache chooses whether a cache moves on.
	AtCache
	points
)

// Strategy decides at which points of a run something unusual happens.
type Strategy interface {
	// Choose returns an option for the n-th point, counted from 1; 0 means the usual. It calls options only if it needs
	// their number.
	Choose(n int, kind Point, options func() int) int
}

// replay follows a schedule.
type replay map[int]int

// NewReplay returns a strategy that follows a schedule.
func NewReplay(s Schedule) Strategy { return replayOf(s) }

func replayOf(s Schedule) replay {
	r := replay{}
	for _, d := range s {
		r[d.At] = d.Option
	}
	return r
}

func (r replay) Choose(n int, _ Point, options func() int) int {
	which, ok := r[n]
	if !ok {
		return 0
	}
	options()
	return which
}

// random deviates at each point with a probability that depends on the point's kind. Each run has its own probabilities:
// one is full of conflicts, another of people who change their minds.
type random struct {
	rand        *rand.Rand
	probability [points]float64
}

// NewRandom returns a strategy that deviates at random, as determined by the seed.
func NewRandom(seed uint64) Strategy {
	r := &random{rand: rand.New(rand.NewPCG(seed, 0x5ca1ab1e))}
	for i := range r.probability {
		r.probability[i] = []float64{0, 0.005, 0.02, 0.06, 0.2}[r.rand.IntN(5)]
	}
	return r
}

func (r *random) Choose(_ int, kind Point, options func() int) int {
	if r.rand.Float64() >= r.probability[kind] {
		return 0
	}
	n := options()
	if n == 0 {
		return 0
	}
	return 1 + r.rand.IntN(n)
}

// Counting follows a schedule, and counts the options of the later points.
type Counting struct {
	replay replay
	after  int
	until  int
	// Counts lists the points, each with the number of its options.
	Counts []Deviation
}

// NewCounting returns a strategy that follows a schedule and counts the options of the later points, up to and including
// until.
func NewCounting(s Schedule, until int) *Counting {
	c := &Counting{replay: replayOf(s), until: until}
	if len(s) > 0 {
		c.after = s[len(s)-1].At
	}
	return c
}

// Choose implements Strategy.
func (c *Counting) Choose(n int, kind Point, options func() int) int {
	if n > c.after && n <= c.until {
		if most := options(); most > 0 {
			c.Counts = append(c.Counts, Deviation{n, most})
		}
		return 0
	}
	return c.replay.Choose(n, kind, options)
}
