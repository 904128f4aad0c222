package pacing

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Repair is the part of a record that pacing depends on.
type Repair struct {
	// UID is the record's.
	UID types.UID
	// Domains are the keys of its machine's domains.
	Domains []string
	// Started is when it first acted, or was granted its slot.
	Started time.Time
	// Served is when it last acted.
	Served time.Time
	// Completed is when it was over; zero while it is at work.
	Completed time.Time
	// Proven and Failed are its result; both may be false.
	Proven, Failed bool
}

// Candidate is a machine that is due, or a record that wants another slot.
type Candidate struct {
	// UID is the machine's.
	UID types.UID
	// Domains are those that it is in.
	Domains []Domain
}

// Domain is a set of machines that share the consequences of a repair.
type Domain struct {
	// Key identifies it.
	Key string
	// Name is its name in messages.
	Name string
}

// Pace is how fast the domains may go at one moment.
type Pace struct {
	now     time.Time
	domains map[string]state
	// taken counts what Take took from it.
	taken int
}

// Of returns the pace that follows from the repairs of a cluster, in any order. Each record occurs once.
func Of(repairs []Repair, now time.Time) Pace {
	byDomain := map[string][]Repair{}
	for _, repair := range repairs {
		for _, key := range repair.Domains {
			byDomain[key] = append(byDomain[key], repair)
		}
	}
	p := Pace{now: now, domains: make(map[string]state, len(byDomain))}
	for key, of := range byDomain {
		p.domains[key] = stateOf(of, now)
	}
	return p
}

// State is how fast a domain may go.
type State struct {
	// Limit is how many of its repairs may be unproven at once, and Unproven how many are.
	Limit, Unproven int
	// RestsUntil is when it may go on.
	RestsUntil time.Time
}

// Busy returns the keys of the domains whose state differs from that of a domain without repairs.
func (p Pace) Busy() map[string]State {
	busy := map[string]State{}
	for key, s := range p.domains {
		if s.limit != fresh.limit || s.unproven > 0 || p.now.Before(s.restsUntil) {
			busy[key] = State{s.limit, s.unproven, s.restsUntil}
		}
	}
	return busy
}

func (p Pace) of(key string) state {
	if s, ok := p.domains[key]; ok {
		return s
	}
	return fresh
}

// Take counts a candidate as one whose repair has begun. Take what was granted in a look before the next Order, or it would be
// granted again.
func (p *Pace) Take(c Candidate) {
	if p.domains == nil {
		p.domains = map[string]state{}
	}
	p.taken++
	for _, d := range c.Domains {
		s := p.of(d.Key)
		s.unproven++
		s.served, s.turn = p.now, p.taken
		s.restsUntil = p.now.Add(s.cooldown)
		p.domains[d.Key] = s
	}
}
