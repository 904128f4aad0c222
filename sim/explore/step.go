package explore

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// step has one thing happen: what is next in line, or something else.
func (w *world) step() {
	w.syncCaches()
	w.note()
	if _, picked := w.pick(atStep, w.instead); picked {
		return
	}
	w.usual()
}

// note counts a step, and the state of the world before it.
func (w *world) note() {
	w.steps++
	w.states = append(w.states, w.server.Hash())
}

// usual is what happens if nothing unusual does: the leader does what it has to, others follow, and then time passes. It
// reports whether anything was left to do.
func (w *world) usual() bool {
	if ready := w.leader.queue.ready; len(ready) > 0 {
		w.leader.take(ready[0])
		return true
	}
	if work := w.work(); len(work) > 0 {
		w.do(work[0])
		return true
	}
	next := w.next()
	if next.IsZero() || (!w.quiet && next.Sub(w.clock.now) > soon) {
		return false
	}
	w.setClock(later(next, w.clock.now))
	return true
}

// soon is how far ahead something is that faults still wait for.
const soon = 6 * time.Hour

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (w *world) do(one option) {
	w.say("%s", one.name)
	one.do()
}

// next is when something happens by itself; zero if nothing does.
func (w *world) next() time.Time {
	next, owners := w.leader.queue.next(), w.ownersNext()
	if next.IsZero() || (!owners.IsZero() && owners.Before(next)) {
		return owners
	}
	return next
}

// ownersNext is when an owner does what it has put off; zero if none has.
func (w *world) ownersNext() time.Time {
	var next time.Time
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		if c == nil || c.Reason != clusterv1.MachineSetMachineRemediationDeferredReason || w.owner() != OwnerDefers {
			continue
		}
		if at := c.LastTransitionTime.Add(deferred); at.After(w.clock.now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// instead is what can happen instead of what usually does.
func (w *world) instead() []option {
	var options []option
	for _, one := range w.mischief(anything) {
		options = append(options, option{one.name, func() { w.do(one) }})
	}
	options = append(options, w.leader.turns(4)...)
	if w.former != nil {
		options = append(options, w.former.turns(4)...)
	}
	for _, one := range w.work() {
		options = append(options, option{one.name, func() { w.do(one) }})
	}
	if next := w.next(); !next.IsZero() && next.Sub(w.clock.now) <= soon && w.spec.has(Clock) {
		options = append(options, option{"time passes", func() { w.setClock(later(next, w.clock.now)) }})
	}
	return options
}

// syncCaches has the caches of the leader see everything, unless one of them lags behind.
func (w *world) syncCaches() {
	if w.spec.has(Caches) {
		w.pick(atCache, w.lag)
	}
	for _, kind := range cachedKinds {
		w.leader.sync(kind, w.leader.lag[kind])
	}
}

// lag has a cache of the leader see nothing new for now.
func (w *world) lag() []option {
	var options []option
	p := w.leader
	for _, kind := range cachedKinds {
		behind := p.view.Behind(kind)
		if p.lag[kind] > 0 {
			options = append(options, option{fmt.Sprintf("the cache of %s of %s catches up", kind.Kind, p.name), func() { delete(p.lag, kind) }})
		} else if behind > 0 {
			options = append(options, option{fmt.Sprintf("the cache of %s of %s lags behind", kind.Kind, p.name), func() { p.lags(kind, min(behind, most)) }})
		}
	}
	return options
}

func (p *process) lags(kind schema.GroupVersionKind, writes int) {
	if p.lag == nil {
		p.lag = map[schema.GroupVersionKind]int{}
	}
	p.lag[kind] = writes
}
