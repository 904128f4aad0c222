package soak

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
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

// Sickness is one sickness of a machine.
type Sickness struct {
	Kind Kind
	// Deadline is when Sickbay must act on it.
	Deadline time.Time
	// Ended is when the machine recovered by itself; zero if it never did.
	Ended time.Time
}

// Saying is a statement about a Machine.
type Saying struct {
	At   time.Time
	What string
}

// Record is the life of one Machine.
type Record struct {
	Cluster client.ObjectKey
	Sick    []Sickness
	// Called are the unhealthy verdicts.
	Called []Saying
	// Verdict is the last verdict: empty if the Machine is healthy.
	Verdict string
	// Marked is when and why its owner was asked to replace it.
	Marked Saying
	// Gone is when its deletion was seen.
	Gone time.Time
	// Released is true once its owner, whom the soak plays, has deleted it.
	Released bool
	// Repairs are its MachineRemediations.
	Repairs []Repair
}

// Repair is a MachineRemediation, and when it was open.
type Repair struct {
	Name string
	Span
}

// Ledger records everything that happened.
type Ledger struct {
	Machines map[client.ObjectKey]*Record
	Times    map[About][]Span
	// End is when the ledger was closed.
	End time.Time
}

// begin records that a fact holds from now on. If it holds already, nothing changes.
func (l *Ledger) begin(a About, at time.Time) {
	spans := l.Times[a]
	if n := len(spans); n == 0 || !spans[n-1].To.IsZero() {
		l.Times[a] = append(spans, Span{From: at})
	}
}

// end records that a fact no longer holds.
func (l *Ledger) end(a About, at time.Time) {
	spans := l.Times[a]
	if n := len(spans); n > 0 && spans[n-1].To.IsZero() {
		spans[n-1].To = at
	}
}

// set records whether a fact holds.
func (l *Ledger) set(a About, so bool, at time.Time) {
	if so {
		l.begin(a, at)
		return
	}
	l.end(a, at)
}

// holds reports whether a fact holds at the end.
func (l *Ledger) holds(a About) bool {
	spans := l.Times[a]
	return len(spans) > 0 && spans[len(spans)-1].To.IsZero()
}

// repair records whether a MachineRemediation is open.
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

// ails reports whether the machine is sick and has not recovered.
func (r *Record) ails() bool {
	n := len(r.Sick)
	return n > 0 && r.Sick[n-1].Ended.IsZero()
}
