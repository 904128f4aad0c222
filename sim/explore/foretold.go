package explore

import (
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	foretelling "github.com/sickbay-dev/sickbay/sim/foretold"
)

// foretold is what explain has said about a world in which nothing was left to do for the moment.
type foretold struct {
	facts explain.Facts
	next  []explain.Upcoming
	// others is that something happens next that is not Sickbay's to say: an owner does what it has put off, or what has failed is
	// tried again.
	others bool
}

// othersNext reports whether what happens next is not due by what is stored, or by a clock that has stepped back.
func (w *world) othersNext() bool {
	owners := w.ownersNext()
	return len(w.leader.queue.failures) > 0 || w.leader.triesAgain(w) || (!owners.IsZero() && owners.Equal(w.next())) || w.clock.now.Before(w.latest)
}

// triesAgain reports whether a process remembers a machine that it could not admit. Nobody else knows of that.
func (p *process) triesAgain(w *world) bool {
	checks, ok := p.controllers[machinehealthcheck.ControllerName].(*machinehealthcheck.Reconciler)
	if !ok {
		return false
	}
	for _, mhc := range every[*clusterv1.MachineHealthCheck](w, healthCheckKind) {
		_, decision, err := checks.Look(w.ctx, mhc)
		if err != nil || slices.ContainsFunc(decision.Waiting, func(one admission.Waiting) bool { return one.Reason == v1alpha1.ReasonBackoff }) {
			return true
		}
	}
	return false
}

// onlooker sees the world from outside, as the commands do: with caches and a memory of its own.
func (w *world) onlooker() *fleet.Observer {
	outside := &process{w: w, client: &apimodel.Client{Server: w.server, View: w.server.NewView()}}
	return fleet.New(fleet.Sources{
		Client: outside.client, Live: outside.client.Live(), Nodes: nodes{outside}, GracePeriod: grace, Records: true, Clock: w.clock,
	})
}

// foretell asks explain what happens next, and holds what it said before against what has happened since. Nothing but what is due
// by itself has happened, as the world is at rest.
func (w *world) foretell() {
	if w.plant != nil && w.plant.Rule != ruleForetold {
		// Explain does not know of bugs that are planted.
		return
	}
	facts, err := w.onlooker().Look(w.ctx, "")
	if err != nil {
		w.fail(ruleForetold, "the fleet cannot be read: %v", err)
		return
	}
	w.replays(facts)
	told := &foretold{facts: facts, next: facts.Next(), others: w.othersNext()}
	if !told.others {
		w.sameInside(facts)
	}
	if w.plant != nil && w.plant.foretells != nil {
		told.next = w.plant.foretells(told.next)
	}
	if before := w.told; before != nil && !before.others && facts.Now.After(before.facts.Now) {
		w.cameTrue(before, facts)
	}
	w.told = told
}

// soonEnough is how much later than it was said something may happen.
const soonEnough = time.Second

// cameTrue fails if something was said that did not happen in time, or if something happened and nothing was said.
func (w *world) cameTrue(before *foretold, now explain.Facts) {
	due := 0
	for _, one := range before.next {
		switch {
		case !one.At.Add(soonEnough).After(now.Now) && !foretelling.Changed(before.facts, now, one.Namespace, one.Name):
			w.fail(ruleForetold, "%s: %s was to happen at %s, and did not by %s", one.Name, one.What, one.At.Sub(start), now.Now.Sub(start))
		case !one.At.After(now.Now.Add(soonEnough)):
			due++
		}
	}
	if due > 0 || now.Now.Sub(before.facts.Now) <= soonEnough {
		return
	}
	for _, machine := range now.Machines {
		if foretelling.Changed(before.facts, now, machine.Machine.Namespace, machine.Machine.Name) {
			w.fail(ruleForetold, "nobody has said that something happens to %s at %s; at %s it was said: %v",
				machine.Machine.Name, now.Now.Sub(start), before.facts.Now.Sub(start), before.next)
		}
	}
}
