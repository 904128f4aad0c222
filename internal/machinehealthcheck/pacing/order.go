package pacing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Held is a candidate that has to wait.
type Held struct {
	Candidate Candidate
	// Why is one sentence.
	Why string
	// Until is when it need not rest any more; zero if it waits for other repairs, nobody knows how long.
	Until time.Time
}

// Order returns who may be served now, in the order in which to serve them, and who is held. If only the first few are served,
// the rest need not be asked again in this look. Candidates that are equal stay in the order in which they are given.
func (p Pace) Order(due []Candidate) (eligible []Candidate, held []Held) {
	room := p
	room.domains = maps.Clone(p.domains)
	waiting := slices.Clone(due)
	for {
		next := room.next(p, waiting)
		if next < 0 {
			break
		}
		eligible = append(eligible, waiting[next])
		room.Take(waiting[next])
		waiting = slices.Delete(waiting, next, next+1)
	}
	for _, c := range waiting {
		held = append(held, room.hold(p, c))
	}
	return eligible, held
}

// next is the place of the candidate to serve next; -1 if there is none. Whether a domain rests is as it was at the beginning:
// what begins in one look begins together.
func (p Pace) next(beginning Pace, waiting []Candidate) int {
	best := -1
	for i, c := range waiting {
		if p.full(c) != nil || beginning.rests(c) {
			continue
		}
		if best < 0 || p.compare(c, waiting[best]) < 0 {
			best = i
		}
	}
	return best
}

// full is the first domain of a candidate without room for it; nil if all have.
func (p Pace) full(c Candidate) *Domain {
	for i, d := range c.Domains {
		if s := p.of(d.Key); s.unproven >= s.limit {
			return &c.Domains[i]
		}
	}
	return nil
}

// rests reports whether all domains of a candidate rest.
func (p Pace) rests(c Candidate) bool {
	for _, d := range c.Domains {
		if !p.now.Before(p.of(d.Key).restsUntil) {
			return false
		}
	}
	return len(c.Domains) > 0
}

// compare orders candidates by when their domains were served: first by the least recently served of each, then by the other.
func (p Pace) compare(a, b Candidate) int {
	return slices.CompareFunc(p.served(a), p.served(b), func(a, b state) int { return a.compareServed(b) })
}

// served are the domains of a candidate, the least recently served first.
func (p Pace) served(c Candidate) []state {
	states := make([]state, 0, len(c.Domains))
	for _, d := range c.Domains {
		states = append(states, p.of(d.Key))
	}
	slices.SortFunc(states, state.compareServed)
	return states
}

func (s state) compareServed(other state) int {
	return cmp.Or(s.served.Compare(other.served), cmp.Compare(s.turn, other.turn))
}

// hold says why a candidate has to wait.
func (p Pace) hold(beginning Pace, c Candidate) Held {
	if d := p.full(c); d != nil {
		return Held{Candidate: c, Why: fmt.Sprintf("%s has as many unproven repairs as it may have (%d)", d.Name, p.of(d.Key).limit)}
	}
	held := Held{Candidate: c}
	var names []string
	for _, d := range c.Domains {
		names = append(names, d.Name)
		if until := beginning.of(d.Key).restsUntil; held.Until.IsZero() || until.Before(held.Until) {
			held.Until = until
		}
	}
	held.Why = strings.Join(names, " and ") + " cools down after the last repair"
	if len(names) > 1 {
		held.Why = strings.Join(names, " and ") + " cool down after the last repair"
	}
	return held
}
