package soak

import (
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// liveLedger is a ledger that is safe for concurrent writes.
type liveLedger struct {
	mu     sync.Mutex
	ledger *Ledger
	closed bool
}

func newLiveLedger() *liveLedger {
	return &liveLedger{ledger: &Ledger{Machines: map[client.ObjectKey]*Record{}, Times: map[About][]Span{}}}
}

// note runs write on the ledger, unless it is closed.
func (live *liveLedger) note(write func(l *Ledger, now time.Time)) {
	live.mu.Lock()
	defer live.mu.Unlock()
	if live.closed {
		return
	}
	write(live.ledger, time.Now())
}

// set records whether a fact holds from now on.
func (live *liveLedger) set(a About, so bool) {
	live.note(func(l *Ledger, now time.Time) { l.set(a, so, now) })
}

// sick records a sickness. Callers record it before it begins, so Sickbay cannot act earlier.
func (live *liveLedger) sick(m fleet.Machine, kind Kind, deadline time.Time) {
	live.note(func(l *Ledger, _ time.Time) {
		r := l.record(m.ObjectKey, m.Cluster)
		r.Sick = append(r.Sick, Sickness{Kind: kind, Deadline: deadline})
	})
}

// healed records that a machine has recovered. Callers record it afterwards.
func (live *liveLedger) healed(m fleet.Machine) {
	live.note(func(l *Ledger, now time.Time) {
		if r := l.record(m.ObjectKey, m.Cluster); r.ails() {
			r.Sick[len(r.Sick)-1].Ended = now
		}
	})
}

// released records that the owner of a machine is about to delete it.
func (live *liveLedger) released(m fleet.Machine) {
	live.note(func(l *Ledger, _ time.Time) { l.record(m.ObjectKey, m.Cluster).Released = true })
}

// record returns the record of a Machine, and creates it if it does not exist.
func (l *Ledger) record(name, cluster client.ObjectKey) *Record {
	r, ok := l.Machines[name]
	if !ok {
		r = &Record{Cluster: cluster, Verdict: "nobody has judged it yet"}
		l.Machines[name] = r
	}
	return r
}

// blind reports whether a watcher of a cluster may have no connection now.
func (live *liveLedger) blind(cluster client.ObjectKey, a Allowances) (blind bool) {
	live.note(func(l *Ledger, now time.Time) {
		blind = slices.ContainsFunc(l.blind(cluster, a), func(s Span) bool { return s.holds(now) })
	})
	return blind
}

// unsettled returns the Machines that still need a remedy or a reason; nil if there are none.
func (live *liveLedger) unsettled() (left []client.ObjectKey) {
	live.note(func(l *Ledger, _ time.Time) {
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

// close closes the ledger: it ignores what happens afterwards.
func (live *liveLedger) close() {
	live.mu.Lock()
	defer live.mu.Unlock()
	live.ledger.End, live.closed = time.Now(), true
}
