package soak

import (
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// Fact is something that is true for a while.
type Fact string

// What the soak did, and what Sickbay reported.
const (
	// Down: the manager does not run.
	Down Fact = "Sickbay was not running"
	// Silent: the workload cluster does not answer.
	Silent Fact = "the workload cluster did not answer"
	// Skip: somebody asked to leave the Machine alone.
	Skip Fact = "the Machine is annotated to be skipped"
	// Paused: somebody paused the MachineHealthCheck, and SaysPaused: its status says so.
	Paused     Fact = "the MachineHealthCheck is paused"
	SaysPaused Fact = "the MachineHealthCheck says that it is paused"
	// SaysRestricted: the status of the MachineHealthCheck says that nothing may be remediated.
	SaysRestricted Fact = "the MachineHealthCheck says that too many are unhealthy"
	// SaysWaiting: the MachineRemediation of a Machine says what it waits for.
	SaysWaiting Fact = "the MachineRemediation says what it waits for"
	// SaysQueued: the status of the MachineHealthCheck lists the Machine as waiting for a slot, or as paced.
	SaysQueued Fact = "the MachineHealthCheck says that the Machine waits its turn"
)

// About is a fact about an object: a Machine for Skip, SaysWaiting and SaysQueued, nothing for Down, otherwise a cluster.
type About struct {
	Fact Fact
	Of   client.ObjectKey
}

// Ledger records what the soak did and how Sickbay reacted, as the times in which facts held. It is not a journal.Journal, because
// that keeps every state of every object, and thousands of machines change for half an hour.
type Ledger struct {
	mu       sync.Mutex
	Machines map[client.ObjectKey]*Record
	Times    map[About][]Span
	// End is when the ledger was closed. It ignores what happens afterwards.
	End time.Time
}

func newLedger() *Ledger {
	return &Ledger{Machines: map[client.ObjectKey]*Record{}, Times: map[About][]Span{}}
}

// note calls write with the current time, unless the ledger is closed. Only one write runs at a time.
func (l *Ledger) note(write func(now time.Time)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.End.IsZero() {
		write(time.Now())
	}
}

func (l *Ledger) close() { l.note(func(now time.Time) { l.End = now }) }

// set records whether a fact holds from now on.
func (l *Ledger) set(a About, so bool) {
	l.note(func(now time.Time) { l.setAt(a, so, now) })
}

// setAt records whether a fact holds from a moment on. If that is known already, nothing changes.
func (l *Ledger) setAt(a About, so bool, at time.Time) {
	if so == l.holds(a) {
		return
	}
	if so {
		l.Times[a] = append(l.Times[a], Span{From: at})
		return
	}
	l.Times[a][len(l.Times[a])-1].To = at
}

// holds reports whether a fact holds at the end.
func (l *Ledger) holds(a About) bool {
	spans := l.Times[a]
	return len(spans) > 0 && spans[len(spans)-1].To.IsZero()
}

// sick records a sickness. Callers record it before it begins, so Sickbay cannot act earlier.
func (l *Ledger) sick(m fleet.Machine, kind Kind, deadline time.Time) {
	l.note(func(time.Time) {
		r := l.record(m.ObjectKey, m.Cluster)
		r.Sick = append(r.Sick, Sickness{Kind: kind, Deadline: deadline})
	})
}

// healed records that a machine has recovered. Callers record it afterwards.
func (l *Ledger) healed(m fleet.Machine) {
	l.note(func(now time.Time) {
		if r := l.record(m.ObjectKey, m.Cluster); r.ails() {
			r.Sick[len(r.Sick)-1].Ended = now
		}
	})
}

// released records that the owner of a machine is about to delete it.
func (l *Ledger) released(m fleet.Machine) {
	l.note(func(time.Time) { l.record(m.ObjectKey, m.Cluster).Released = true })
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

// blindNow reports whether a watcher of a cluster may have no connection now.
func (l *Ledger) blindNow(cluster client.ObjectKey, a Allowances) (blind bool) {
	l.note(func(now time.Time) {
		blind = slices.ContainsFunc(l.blind(cluster, a), func(s Span) bool { return s.holds(now) })
	})
	return blind
}

// unsettled returns the Machines that still need a remedy or a reason; nil if there are none.
func (l *Ledger) unsettled() (left []client.ObjectKey) {
	l.note(func(time.Time) {
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
