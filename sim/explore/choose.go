package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// point says what kind of choice is made at a point of a run.
type point int

const (
	// atStep: what happens next, between two Reconciles.
	atStep point = iota
	// atRead: what happens just before a process reads, and whether it can.
	atRead
	// atWrite: what happens just before and after a process writes, and whether it can.
	atWrite
	// atCache: whether a cache moves on.
	atCache
	points
)

// option is one thing that can happen at a point of a run, beside what usually does.
type option struct {
	name string
	do   func()
}

// Deviation is a point of a run at which something else happened than usually does: which of the options, counted from 1.
type Deviation struct{ At, Option int }

// Schedule is all that makes one run of a world differ from another.
type Schedule []Deviation

// usual is the schedule without deviations.
const usual = "usual"

// String is what the flag -replay takes.
func (s Schedule) String() string {
	if len(s) == 0 {
		return usual
	}
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = fmt.Sprintf("%d:%d", d.At, d.Option)
	}
	return strings.Join(parts, ",")
}

// ParseSchedule reads what String returns.
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	if text == usual {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		at, which, ok := strings.Cut(part, ":")
		d, err := Deviation{}, error(nil)
		if d.At, err = strconv.Atoi(at); err == nil && ok {
			d.Option, err = strconv.Atoi(which)
		}
		if err != nil || !ok {
			return nil, fmt.Errorf("reading a schedule: %q is not <point>:<option>", part)
		}
		s = append(s, d)
	}
	return s, nil
}

// strategy says at which points of a run something unusual happens.
type strategy interface {
	// choose returns an option of those at the n-th point, counted from 1; 0 for what usually happens. It asks for the
	// options only if it needs them.
	choose(n int, kind point, options func() int) int
}

// chooser makes the choices of one run, and writes down those that are unusual.
type chooser struct {
	strategy strategy
	at       int
	taken    Schedule
	words    []string
}

// pick lets one of the options happen, or nothing.
func (c *chooser) pick(kind point, options func() []option) (name string, picked bool) {
	c.at++
	var list []option
	which := c.strategy.choose(c.at, kind, func() int {
		list = options()
		return len(list)
	})
	if which <= 0 || which > len(list) {
		return "", false
	}
	chosen := list[which-1]
	c.taken = append(c.taken, Deviation{c.at, which})
	c.words = append(c.words, chosen.name)
	chosen.do()
	return chosen.name, true
}

// replay follows a schedule.
type replay map[int]int

func newReplay(s Schedule) replay {
	r := replay{}
	for _, d := range s {
		r[d.At] = d.Option
	}
	return r
}

func (r replay) choose(n int, _ point, options func() int) int {
	which, ok := r[n]
	if !ok {
		return 0
	}
	options()
	return which
}

// random deviates at each point with a probability of the kind of the point. Each run has probabilities of its own: one is
// full of conflicts, another one of people who change their minds.
type random struct {
	rand        *rand.Rand
	probability [points]float64
}

func newRandom(seed uint64) *random {
	r := &random{rand: rand.New(rand.NewPCG(seed, 0x5ca1ab1e))}
	for i := range r.probability {
		r.probability[i] = []float64{0, 0.005, 0.02, 0.06, 0.2}[r.rand.IntN(5)]
	}
	return r
}

func (r *random) choose(_ int, kind point, options func() int) int {
	if r.rand.Float64() >= r.probability[kind] {
		return 0
	}
	n := options()
	if n == 0 {
		return 0
	}
	return 1 + r.rand.IntN(n)
}

// counting follows a schedule, and counts the options of the points after its end.
type counting struct {
	replay replay
	after  int
	until  int
	counts []Deviation
}

func newCounting(s Schedule, until int) *counting {
	c := &counting{replay: newReplay(s), until: until}
	if len(s) > 0 {
		c.after = s[len(s)-1].At
	}
	return c
}

func (c *counting) choose(n int, kind point, options func() int) int {
	if n > c.after && n <= c.until {
		if most := options(); most > 0 {
			c.counts = append(c.counts, Deviation{n, most})
		}
		return 0
	}
	return c.replay.choose(n, kind, options)
}

// without returns the schedule less one deviation.
func (s Schedule) without(i int) Schedule { return slices.Delete(slices.Clone(s), i, i+1) }
