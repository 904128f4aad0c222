package soak

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Fact is something that is so for a while.
type Fact string

// What the soak did, and what Sickbay said.
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
	// SaysRestricted: its status says that nothing may be remediated.
	SaysRestricted Fact = "the MachineHealthCheck says that too many are unhealthy"
	// SaysWaiting: the record of a Machine says what it waits for.
	SaysWaiting Fact = "the MachineRemediation says what it waits for"
	// SaysQueued: the status of the MachineHealthCheck names a Machine among those that wait for a slot, or are paced.
	SaysQueued Fact = "the MachineHealthCheck says that the Machine waits its turn"
)

// About is a fact about something: a Machine if it is Skip, SaysWaiting or SaysQueued, nothing if it is Down, else a cluster.
type About struct {
	Fact Fact
	Of   client.ObjectKey
}

// Sickness is one that a machine had.
type Sickness struct {
	Kind Kind
	// Deadline is when something is to be done about it.
	Deadline time.Time
	// Ended is when the machine had recovered by itself; zero if it never did.
	Ended time.Time
}

// Saying is something that was said about a Machine.
type Saying struct {
	At   time.Time
	What string
}

// Record is the life of one Machine.
type Record struct {
	Cluster client.ObjectKey
	Sick    []Sickness
	// Called are the verdicts that it is unhealthy.
	Called []Saying
	// Verdict is the last one: empty if it is that the Machine is healthy.
	Verdict string
	// Marked is when its owner was told to replace it, and why.
	Marked Saying
	// Gone is when it was seen to be deleted.
	Gone time.Time
	// Released tells that its owner deleted it, who is played by the soak.
	Released bool
	// Repairs are its MachineRemediations.
	Repairs []Repair
}

// Repair is a MachineRemediation, and when it was open.
type Repair struct {
	Name string
	Span
}

// Ledger is all that happened.
type Ledger struct {
	Machines map[client.ObjectKey]*Record
	Times    map[About][]Span
	// End is when it was closed.
	End time.Time
}

// begin notes that something is so from now on. If it is already, nothing changes.
func (l *Ledger) begin(a About, at time.Time) {
	spans := l.Times[a]
	if n := len(spans); n == 0 || !spans[n-1].To.IsZero() {
		l.Times[a] = append(spans, Span{From: at})
	}
}

// end notes that it is not so any more.
func (l *Ledger) end(a About, at time.Time) {
	spans := l.Times[a]
	if n := len(spans); n > 0 && spans[n-1].To.IsZero() {
		spans[n-1].To = at
	}
}

// set notes whether something is so.
func (l *Ledger) set(a About, so bool, at time.Time) {
	if so {
		l.begin(a, at)
		return
	}
	l.end(a, at)
}

// holds reports whether something is so at the end.
func (l *Ledger) holds(a About) bool {
	spans := l.Times[a]
	return len(spans) > 0 && spans[len(spans)-1].To.IsZero()
}

// repair notes whether a MachineRemediation is open.
func (r *Record) repair(name string, open bool, at time.Time) {
	i := slices.IndexFunc(r.Repairs, func(known Repair) bool { return known.Name == name })
	switch {
	case i < 0 && open:
		r.Repairs = append(r.Repairs, Repair{Name: name, Span: Span{From: at}})
	case i >= 0 && !open && r.Repairs[i].To.IsZero():
		r.Repairs[i].To = at
	}
}

// underRepair reports whether a MachineRemediation is open.
func (r *Record) underRepair() bool {
	return slices.ContainsFunc(r.Repairs, func(known Repair) bool { return known.To.IsZero() })
}

// ails reports whether the machine has a sickness from which it has not recovered.
func (r *Record) ails() bool {
	n := len(r.Sick)
	return n > 0 && r.Sick[n-1].Ended.IsZero()
}
