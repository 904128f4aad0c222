package simulate

import (
	"slices"
	"time"
)

// agenda has the future events, earliest first. Events of the same time keep their order.
type agenda []entry

type entry struct {
	at time.Time
	do func()
}

// add schedules something. A zero time never comes.
func (a *agenda) add(at time.Time, do func()) {
	if at.IsZero() {
		return
	}
	i, _ := slices.BinarySearchFunc(*a, at, func(e entry, at time.Time) int {
		if e.at.After(at) {
			return 1
		}
		return -1
	})
	*a = slices.Insert(*a, i, entry{at, do})
}

// first returns the time of the next event; false if there is none.
func (a agenda) first() (time.Time, bool) {
	if len(a) == 0 {
		return time.Time{}, false
	}
	return a[0].at, true
}

// run executes the events that are due by now.
func (a *agenda) run(now time.Time) {
	for len(*a) > 0 && !(*a)[0].at.After(now) {
		do := (*a)[0].do
		*a = (*a)[1:]
		do()
	}
}
