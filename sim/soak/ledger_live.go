package soak

import (
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// liveLedger is a ledger that is written while things happen side by side.
type liveLedger struct {
	mu     sync.Mutex
	ledger *Ledger
	closed bool
}

func newLiveLedger() *liveLedger {
	return &liveLedger{ledger: &Ledger{Machines: map[client.ObjectKey]*Record{}, Times: map[About][]Span{}}}
}

// note has somebody write into the ledger, unless it is closed.
func (c *liveLedger) note(write func(l *Ledger, now time.Time)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	write(c.ledger, time.Now())
}

// set notes whether something is so from now on.
func (c *liveLedger) set(a About, so bool) {
	c.note(func(l *Ledger, now time.Time) { l.set(a, so, now) })
}

// sick notes a sickness. It must be noted before it begins, so that nothing can be done about it earlier.
func (c *liveLedger) sick(m fleet.Machine, kind Kind, deadline time.Time) {
	c.note(func(l *Ledger, _ time.Time) {
		r := l.record(m.ObjectKey, m.Cluster)
		r.Sick = append(r.Sick, Sickness{Kind: kind, Deadline: deadline})
	})
}

// healed notes that a machine has recovered. It must be noted afterwards.
func (c *liveLedger) healed(m fleet.Machine) {
	c.note(func(l *Ledger, now time.Time) {
		if r := l.record(m.ObjectKey, m.Cluster); r.ails() {
			r.Sick[len(r.Sick)-1].Ended = now
		}
	})
}

// released notes that the owner of a machine is about to delete it.
func (c *liveLedger) released(m fleet.Machine) {
	c.note(func(l *Ledger, _ time.Time) { l.record(m.ObjectKey, m.Cluster).Released = true })
}

// record returns that of a Machine, which may be new.
func (l *Ledger) record(name, cluster client.ObjectKey) *Record {
	r, ok := l.Machines[name]
	if !ok {
		r = &Record{Cluster: cluster, Verdict: "nobody has judged it yet"}
		l.Machines[name] = r
	}
	return r
}

// blind reports whether somebody who watches a cluster may not be connected to it now.
func (c *liveLedger) blind(cluster client.ObjectKey, a Allowances) (blind bool) {
	c.note(func(l *Ledger, now time.Time) {
		blind = slices.ContainsFunc(l.blind(cluster, a), func(s Span) bool { return s.holds(now) })
	})
	return blind
}

// unsettled says about which Machines there is something left to be done, or to be said; nil if there are none.
func (c *liveLedger) unsettled() (left []client.ObjectKey) {
	c.note(func(l *Ledger, _ time.Time) {
		for name, r := range l.Machines {
			explained := r.ails() && (l.holds(About{SaysRestricted, r.Cluster}) || l.holds(About{SaysWaiting, name}) || l.holds(About{SaysQueued, name}))
			unsaid := r.Gone.IsZero() && !explained && (r.ails() || r.Released || r.Verdict != "")
			if unsaid || (r.underRepair() && !explained) {
				left = append(left, name)
			}
		}
	})
	return left
}

// close ends the ledger: what still happens is not noted any more.
func (c *liveLedger) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.End, c.closed = time.Now(), true
}
