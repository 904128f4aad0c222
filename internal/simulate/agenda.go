package simulate

import (
	"container/heap"
	"time"
)

// agenda is a queue of future events, earliest first. Events of the same time keep their order.
type agenda struct {
	entries []entry
	next    int
}

type entry struct {
	at    time.Time
	order int
	do    func()
}

// add schedules something. A zero time never comes.
func (a *agenda) add(at time.Time, do func()) {
	if at.IsZero() {
		return
	}
	heap.Push((*byTime)(a), entry{at, a.next, do})
	a.next++
}

// first returns the time of the next event; false if there is none.
func (a *agenda) first() (time.Time, bool) {
	if len(a.entries) == 0 {
		return time.Time{}, false
	}
	return a.entries[0].at, true
}

// run executes the events that are due by now.
func (a *agenda) run(now time.Time) {
	for len(a.entries) > 0 && !a.entries[0].at.After(now) {
		heap.Pop((*byTime)(a)).(entry).do()
	}
}

// byTime implements heap.Interface for an agenda.
type byTime agenda

func (b *byTime) Len() int      { return len(b.entries) }
func (b *byTime) Swap(i, j int) { b.entries[i], b.entries[j] = b.entries[j], b.entries[i] }
func (b *byTime) Push(e any)    { b.entries = append(b.entries, e.(entry)) }

func (b *byTime) Less(i, j int) bool {
	if !b.entries[i].at.Equal(b.entries[j].at) {
		return b.entries[i].at.Before(b.entries[j].at)
	}
	return b.entries[i].order < b.entries[j].order
}

func (b *byTime) Pop() any {
	last := len(b.entries) - 1
	e := b.entries[last]
	b.entries[last] = entry{}
	b.entries = b.entries[:last]
	return e
}
