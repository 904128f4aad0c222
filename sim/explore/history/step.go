package history

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Run runs the part of a history in which anything may happen.
func (w *World) Run() {
	for range w.Spec.Steps {
		if w.Failure != nil {
			return
		}
		w.step()
	}
}

// step makes one thing happen: the next in line, or something else.
func (w *World) step() {
	w.syncCaches()
	w.note()
	if _, picked := w.pick(schedule.AtStep, w.instead); picked {
		return
	}
	w.usual()
}

// note counts a step, and the state of the world before it.
func (w *World) note() {
	w.steps++
	w.states = append(w.states, w.Server.Hash())
}

// usual does the usual step: the leader works, then others, and then time passes. It reports whether anything was left
// to do.
func (w *World) usual() bool {
	if ready := w.Leader.queue.ready; len(ready) > 0 {
		w.Leader.take(ready[0])
		return true
	}
	if work := w.work(); len(work) > 0 {
		w.do(work[0])
		return true
	}
	next := w.Next()
	if next.IsZero() || (!w.Quiet && next.Sub(w.clock.now) > soon) {
		return false
	}
	w.setClock(healthcheck.Latest(next, w.clock.now))
	return true
}

// soon is how far ahead an event may be for faults to wait for it.
const soon = 6 * time.Hour

func (w *World) do(one option) {
	w.say("%s", one.name)
	one.do()
}

// Next returns when something happens by itself; zero if never.
func (w *World) Next() time.Time {
	return healthcheck.Earliest(w.Leader.queue.next(), w.OthersNext())
}

// OthersNext returns when somebody other than the managers does something by itself; zero if nobody does.
func (w *World) OthersNext() time.Time {
	return healthcheck.Earliest(w.OwnersNext(), w.hostsNext())
}

// OwnersNext returns when an owner does what it has deferred; zero if none has.
func (w *World) OwnersNext() time.Time {
	var next time.Time
	for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
		c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		if at := w.busy[m.Name]; c != nil && at.After(w.clock.now) {
			next = healthcheck.Earliest(next, at)
		}
		if c == nil || c.Reason != clusterv1.MachineSetMachineRemediationDeferredReason || w.owner() != worlds.OwnerDefers {
			continue
		}
		if at := c.LastTransitionTime.Add(Deferred); at.After(w.clock.now) {
			next = healthcheck.Earliest(next, at)
		}
	}
	return next
}

// instead returns what can happen instead of the usual step.
func (w *World) instead() []option {
	var options []option
	for _, one := range w.disturbances(anything) {
		options = append(options, option{one.name, func() { w.do(one) }})
	}
	options = append(options, w.Leader.turns(4)...)
	if w.Former != nil {
		options = append(options, w.Former.turns(4)...)
	}
	for _, one := range w.work() {
		options = append(options, option{one.name, func() { w.do(one) }})
	}
	if next := w.Next(); !next.IsZero() && next.Sub(w.clock.now) <= soon && w.Spec.Has(worlds.Clock) {
		options = append(options, option{"time passes", func() { w.setClock(healthcheck.Latest(next, w.clock.now)) }})
	}
	return options
}

// syncCaches brings the leader's caches up to date, unless one of them lags.
func (w *World) syncCaches() {
	if w.Spec.Has(worlds.Caches) {
		w.pick(schedule.AtCache, w.lag)
	}
	for _, kind := range w.cached {
		w.Leader.sync(kind, w.Leader.lag[kind])
	}
}

// lag returns the options that keep a cache of the leader from seeing anything new for now.
func (w *World) lag() []option {
	var options []option
	p := w.Leader
	for _, kind := range w.cached {
		behind := p.View.Behind(kind)
		if p.lag[kind] > 0 {
			options = append(options, option{fmt.Sprintf("the cache of %s of %s catches up", kind.Kind, p.Name), func() { delete(p.lag, kind) }})
		} else if behind > 0 {
			options = append(options, option{fmt.Sprintf("the cache of %s of %s lags behind", kind.Kind, p.Name), func() { p.lags(kind, min(behind, most)) }})
		}
	}
	return options
}

func (p *Process) lags(kind schema.GroupVersionKind, writes int) {
	if p.lag == nil {
		p.lag = map[schema.GroupVersionKind]int{}
	}
	p.lag[kind] = writes
}
