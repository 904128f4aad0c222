package monitor

import (
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/forecast"
)

// prediction is what explain said about a world in which nothing was left to do for the moment.
type prediction struct {
	facts explain.Facts
	next  []explain.Upcoming
	// others is set if the next event is not Sickbay's to predict: an owner does what it has deferred, or a process retries.
	others bool
}

// pausesAgain is a little longer than a controller waits before it pauses again what somebody has resumed without a trace.
const pausesAgain = time.Minute + soonEnough

// othersNext reports whether the next event depends on something other than what is stored: on what somebody asked for, of which explain does not
// say when it is tried again if the machine has another record, on a clock that was ahead or has
// stepped back, on when a controller pauses for an upgrade again, or on requests that the manager could read once and an observer outside cannot.
func (m *Monitor) othersNext() bool {
	others := m.w.OthersNext()
	return m.anyAsked() || m.w.Leader.Failing() || m.w.Forbidden() || m.w.Leader.IsAhead() || m.w.Leader.PausesSoon(pausesAgain) || m.triesAgain() || (!others.IsZero() && others.Equal(m.w.Next())) || !m.w.Now().After(m.w.Unsteady)
}

// triesAgain reports whether a process remembers a machine that it failed to admit. Only the process knows that.
func (m *Monitor) triesAgain() bool {
	checks, ok := m.w.Leader.Controllers[machinehealthcheck.ControllerName].(*machinehealthcheck.Reconciler)
	if !ok {
		return false
	}
	for _, mhc := range history.Every[*clusterv1.MachineHealthCheck](m.w, kinds.HealthCheck) {
		_, decision, err := checks.Look(m.w.Ctx, mhc)
		if err != nil || slices.ContainsFunc(decision.Waiting, func(one admission.Waiting) bool { return one.Reason == v1alpha1.ReasonBackoff }) {
			return true
		}
	}
	return false
}

// Rested asks explain what happens next, and compares its last prediction with what has happened since. Only what was due by
// itself has happened, because the world is at rest.
func (m *Monitor) Rested() {
	m.nothingStands()
	m.pausesAtRest()
	if m.w.Plant != nil && m.w.Plant.Rule != rules.Predicted {
		// Explain does not know about planted bugs.
		return
	}
	before := m.predicted
	if m.predicted = nil; m.cycling() {
		return
	}
	facts, err := m.w.Outside().Look(m.w.Ctx, "")
	if err != nil {
		m.w.Fail(rules.Predicted, "the fleet cannot be read: %v", err)
		return
	}
	m.checkBundles(facts)
	one := &prediction{facts: facts, next: facts.Next(), others: m.othersNext()}
	if !one.others {
		m.sameInside(facts)
	}
	if m.w.Plant != nil && m.w.Plant.Predicts != nil {
		one.next = m.w.Plant.Predicts(one.next)
	}
	if before != nil && !before.others && facts.Now.After(before.facts.Now) {
		m.cameTrue(before, facts)
	}
	m.predicted = one
}

// soonEnough is how late an event may be.
const soonEnough = time.Second

// cameTrue fails if a predicted event did not happen in time, or if something happened without a prediction.
func (m *Monitor) cameTrue(before *prediction, now explain.Facts) {
	due := 0
	for _, one := range before.next {
		switch {
		case !one.At.Add(soonEnough).After(now.Now) && !forecast.Changed(before.facts, now, one.Namespace, one.Name):
			m.w.Fail(rules.Predicted, "%s: %s was to happen at %s, and did not by %s", one.Name, one.What, one.At.Sub(history.Start), now.Now.Sub(history.Start))
		case !one.At.After(now.Now.Add(soonEnough)):
			due++
		}
	}
	if due > 0 || now.Now.Sub(before.facts.Now) <= soonEnough {
		return
	}
	for _, machine := range now.Machines {
		if forecast.Changed(before.facts, now, machine.Machine.Namespace, machine.Machine.Name) {
			m.w.Fail(rules.Predicted, "nobody has said that something happens to %s at %s; at %s it was said: %v",
				machine.Machine.Name, now.Now.Sub(history.Start), before.facts.Now.Sub(history.Start), before.next)
		}
	}
}
