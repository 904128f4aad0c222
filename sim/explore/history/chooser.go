package history

import "github.com/sickbay-dev/sickbay/sim/explore/schedule"

// option is one thing that can happen at a point of a run instead of the usual.
type option struct {
	name string
	do   func()
}

// chooser makes the choices of one run, and records the unusual ones.
type chooser struct {
	strategy schedule.Strategy
	at       int
	taken    schedule.Schedule
	words    []string
}

// pick carries out one of the options, or none.
func (c *chooser) pick(kind schedule.Point, options func() []option) (name string, picked bool) {
	c.at++
	var list []option
	which := c.strategy.Choose(c.at, kind, func() int {
		list = options()
		return len(list)
	})
	if which <= 0 || which > len(list) {
		return "", false
	}
	chosen := list[which-1]
	c.taken = append(c.taken, schedule.Deviation{At: c.at, Option: which})
	c.words = append(c.words, chosen.name)
	chosen.do()
	return chosen.name, true
}
