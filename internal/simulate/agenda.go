package simulate

import (
	"container/heap"
	"time"
)

// agenda is what is due later, the earliest first; what is due at the same moment stays in order.
type agenda struct {
	entries []entry
	next    int
}

type entry struct {
	at    time.Time
	order int
	do    func()
}

// add plans something for a moment. A moment that is zero never comes.
func (a *agenda) add(at time.Time, do func()) {
	if at.IsZero() {
		return
	}
	heap.Push((*byTime)(a), entry{at, a.next, do})
	a.next++
}

// first is when the next thing is due; false if nothing is.
func (a *agenda) first() (time.Time, bool) {
	if len(a.entries) == 0 {
		return time.Time{}, false
	}
	return a.entries[0].at, true
}

// run does what is due by now.
func (a *agenda) run(now time.Time) {
	for len(a.entries) > 0 && !a.entries[0].at.After(now) {
		heap.Pop((*byTime)(a)).(entry).do()
	}
}

// byTime is an agenda as a heap.
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
