package pacing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Delayed is a candidate that has to wait.
type Delayed struct {
	Candidate Candidate
	// Why is one sentence.
	Why string
	// Until is when its rest ends; zero if it waits for other repairs, whose end is unknown.
	Until time.Time
}

// Order returns who may be served now, in order, and who has to wait. If only the first few are served, the rest need not be asked
// again in this look. It keeps the order of equal candidates.
func (p Pace) Order(due []Candidate) (eligible []Candidate, delayed []Delayed) {
	room := p
	room.domains = maps.Clone(p.domains)
	queues := p.queues(due)
	for {
		next := room.next(queues)
		if next == nil {
			break
		}
		c := due[next.waiting[0]]
		next.waiting = next.waiting[1:]
		eligible = append(eligible, c)
		room.Take(c)
	}
	why := make([]*Delayed, len(due))
	for _, q := range queues {
		h := room.delay(p, q)
		for _, place := range q.waiting {
			why[place] = &h
		}
	}
	for place, h := range why {
		if h != nil {
			delayed = append(delayed, Delayed{Candidate: due[place], Why: h.Why, Until: h.Until})
		}
	}
	return eligible, delayed
}

// full returns the first of some domains that has no room; nil if all have.
func (p Pace) full(domains []Domain) *Domain {
	for i, d := range domains {
		if s := p.of(d.Key); s.unproven >= s.limit {
			return &domains[i]
		}
	}
	return nil
}

// rests reports whether all of some domains rest.
func (p Pace) rests(domains []Domain) bool {
	for _, d := range domains {
		if !p.now.Before(p.of(d.Key).restsUntil) {
			return false
		}
	}
	return len(domains) > 0
}

// compare orders candidates by when their domains were served: by the least recently served of each, then by the other.
func (p Pace) compare(a, b []Domain) int {
	return slices.CompareFunc(p.served(a), p.served(b), func(a, b state) int { return a.compareServed(b) })
}

// served sorts domains, the least recently served first.
func (p Pace) served(domains []Domain) []state {
	states := make([]state, 0, len(domains))
	for _, d := range domains {
		states = append(states, p.of(d.Key))
	}
	slices.SortFunc(states, state.compareServed)
	return states
}

func (s state) compareServed(other state) int {
	return cmp.Or(s.served.Compare(other.served), cmp.Compare(s.turn, other.turn))
}

// delay says why the candidates in a queue have to wait.
func (p Pace) delay(beginning Pace, q *queue) Delayed {
	if d := p.full(q.domains); d != nil {
		return Delayed{Why: fmt.Sprintf("%s has as many unproven repairs as it may have (%d)", d.Name, p.of(d.Key).limit)}
	}
	var delayed Delayed
	var names []string
	for _, d := range q.domains {
		names = append(names, d.Name)
		if until := beginning.of(d.Key).restsUntil; delayed.Until.IsZero() || until.Before(delayed.Until) {
			delayed.Until = until
		}
	}
	delayed.Why = strings.Join(names, " and ") + " cools down after the last repair"
	if len(names) > 1 {
		delayed.Why = strings.Join(names, " and ") + " cool down after the last repair"
	}
	return delayed
}
