package explore

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// Result is what came of one run.
type Result struct {
	// Failure is nil if no rule was broken.
	Failure *Failure
	// Schedule is how the run deviated from what usually happens, and Words say the same for people.
	Schedule Schedule
	Words    []string
	// Points is at how many points something else could have happened.
	Points int
	// Steps is how many times something happened, and Virtual how much time passed.
	Steps   int
	Virtual time.Duration
	// states are the hashes of the states of the world, step by step.
	states []uint64
}

// run lives through one history.
func run(spec *Spec, plant *Plant, strategy strategy, tell func(string)) Result {
	w := newWorld(spec, plant, strategy, tell)
	for range spec.Steps {
		if w.failure != nil {
			break
		}
		w.step()
	}
	w.end()
	if w.failure == nil {
		w.intact()
	}
	return Result{
		Failure: w.failure, Schedule: w.choices.taken, Words: w.choices.words, Points: w.choices.at,
		Steps: w.steps, Virtual: w.clock.now.Sub(start), states: w.states,
	}
}

// Replay lives through a history once more, and tells it.
func Replay(spec *Spec, plant *Plant, schedule Schedule, tell func(string)) Result {
	return run(spec, plant, newReplay(schedule), tell)
}

// staysSo is for how long a world is watched once it has settled.
const staysSo = 2 * time.Hour

// end lets faults stop and people go home, and then has everybody mean well.
func (w *world) end() {
	w.say("faults end, and people go home")
	w.quiet = true
	w.former = nil
	w.refused = map[string]bool{}
	if w.unreadable {
		w.readable()
	}
	w.leader.lag = nil
	w.resync()
	w.rest(w.spec.Settle, nil, nil)
	w.rest(cmp.Or(w.spec.Watch, staysSo), w.inGoodOrder, nil)
	w.notStarved()
	if w.spec.Recover == 0 || w.failure != nil {
		return
	}
	w.say("everybody means well")
	w.told = nil
	w.meanWell()
	w.rest(w.spec.Recover, nil, func() bool { return w.notRecovered() == "" })
	if why := w.notRecovered(); why != "" {
		w.fail(ruleRecovery, "%s", why)
	}
}

// resync has the leader look at everything once more, as it does every few minutes, if a former leader may have written over
// what it has written. Nothing else falls into that net.
func (w *world) resync() {
	if w.processes == 1 {
		return
	}
	for _, kind := range []schema.GroupVersionKind{machineKind, healthCheckKind, recordKind} {
		for _, obj := range w.server.All(kind) {
			w.leader.wake(apimodel.Change{Kind: kind, Key: client.ObjectKeyFromObject(obj.Typed()), After: obj})
		}
	}
}

const (
	// busiest is how much may happen at one moment, and busy in a whole rest.
	busiest = 400
	busy    = 4000
)

// rest lets time pass without any fault, at most until over says that it is enough. Whenever nothing is left to do for now,
// check looks at the world.
func (w *world) rest(length time.Duration, check func(), over func() bool) {
	until, all, atOnce, written := w.clock.now.Add(length), 0, 0, w.server.Version()
	for w.failure == nil {
		w.syncCaches()
		w.note()
		now := w.clock.now
		if len(w.leader.queue.ready) == 0 && len(w.work()) == 0 {
			if w.idle(until, check, over) {
				return
			}
			atOnce = 0
		}
		w.usual()
		if all, atOnce = all+1, atOnce+1; w.clock.now.After(now) {
			atOnce = 0
		}
		if all > busy || atOnce > busiest || w.server.Version()-written > busy {
			w.fail(ruleRest, "after %d steps, %d of them at one moment, %s is still busy with %v", all, atOnce, w.leader.name, w.leader.queue.ready)
		}
	}
}

// idle looks at a world in which nothing is left to do for now, and reports whether the rest is over: over says so, or nothing
// comes before until.
func (w *world) idle(until time.Time, check func(), over func() bool) bool {
	w.foretell()
	if check != nil {
		check()
	}
	if over != nil && over() {
		return true
	}
	if next := w.next(); next.IsZero() || next.After(until) {
		w.setClock(until)
		return true
	}
	return false
}

// intact holds that all objects are as they were written: the controllers share what a cache holds.
func (w *world) intact() {
	for _, kind := range cachedKinds {
		for _, obj := range w.server.All(kind) {
			if !obj.Intact() {
				w.fail(ruleCache, "%s %s was changed in the cache", kind.Kind, obj.Typed().GetName())
			}
		}
	}
}

// Story tells a run for people.
func (r Result) Story() string {
	if r.Failure == nil {
		return "no rule is broken"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", r.Failure)
	for i, d := range r.Schedule {
		fmt.Fprintf(&text, "  at point %d: %s\n", d.At, r.Words[i])
	}
	return text.String()
}
