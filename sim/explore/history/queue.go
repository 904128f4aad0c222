package history

import (
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// queue holds what a process has to look at, and when.
type queue struct {
	ready    []Item
	timers   map[Item]time.Time
	failures map[Item]int
}

func (q *queue) add(i Item) {
	if !slices.Contains(q.ready, i) {
		q.ready = append(q.ready, i)
	}
}

func (q *queue) remove(i Item) {
	for n, other := range q.ready {
		if other == i {
			q.ready = append(q.ready[:n:n], q.ready[n+1:]...)
			return
		}
	}
}

func (q *queue) later(i Item, at time.Time) {
	delete(q.failures, i)
	q.set(i, at)
}

func (q *queue) set(i Item, at time.Time) {
	if q.timers == nil {
		q.timers = map[Item]time.Time{}
	}
	q.timers[i] = at
}

func (q *queue) done(i Item) {
	delete(q.timers, i)
	delete(q.failures, i)
}

// retry queues an item again, later with each failure.
func (q *queue) retry(i Item, now time.Time) {
	if q.failures == nil {
		q.failures = map[Item]int{}
	}
	wait := min(5*time.Millisecond<<min(q.failures[i], 20), 30*time.Second)
	q.failures[i]++
	q.set(i, now.Add(wait))
}

// next returns when the next timer fires; zero if there is none.
func (q *queue) next() time.Time {
	var next time.Time
	for _, at := range q.timers {
		next = healthcheck.Earliest(next, at)
	}
	return next
}

// ring makes all due items ready, the earliest first.
func (q *queue) ring(now time.Time) {
	var due []Item
	for i, at := range q.timers {
		if !at.After(now) {
			due = append(due, i)
		}
	}
	sortItems(due, q.timers)
	for _, i := range due {
		delete(q.timers, i)
		q.add(i)
	}
}

func sortItems(items []Item, at map[Item]time.Time) {
	slices.SortFunc(items, func(a, b Item) int {
		if order := at[a].Compare(at[b]); order != 0 {
			return order
		}
		return strings.Compare(a.String(), b.String())
	})
}
