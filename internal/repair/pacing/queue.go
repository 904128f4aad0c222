package pacing

import "strings"

// queue is a list of candidates with the same domains: what applies to one applies to all.
type queue struct {
	domains []Domain
	// waiting are their indexes among those who are due.
	waiting []int
	// rests reports whether all of the domains rest at the start of the look: what begins in one look begins together.
	rests bool
}

func (p Pace) queues(due []Candidate) []*queue {
	var all []*queue
	byDomains := map[string]*queue{}
	for place, c := range due {
		var keys strings.Builder
		for _, d := range c.Domains {
			keys.WriteString(d.Key + "\n")
		}
		q, ok := byDomains[keys.String()]
		if !ok {
			q = &queue{domains: c.Domains, rests: p.rests(c.Domains)}
			byDomains[keys.String()] = q
			all = append(all, q)
		}
		q.waiting = append(q.waiting, place)
	}
	return all
}

// next returns the queue to serve next; nil if there is none. Queues whose domains were served equally were never served, so the
// one that is due first comes first.
func (p Pace) next(queues []*queue) *queue {
	var best *queue
	for _, q := range queues {
		if len(q.waiting) == 0 || q.rests || p.full(q.domains) != nil {
			continue
		}
		if best == nil || p.compare(q.domains, best.domains) < 0 {
			best = q
		}
	}
	return best
}
