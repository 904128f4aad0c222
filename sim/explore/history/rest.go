package history

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// Calm ends all faults, and people go home.
func (w *World) Calm() {
	w.say("faults end, and people go home")
	w.Quiet = true
	w.Former = nil
	w.refused = map[string]bool{}
	if w.Unreadable {
		w.readable()
	}
	for kind := range w.Unread {
		w.setUnread(kind, false)
	}
	w.Leader.lag, w.Leader.ahead = nil, 0
	w.resync()
}

// resync makes the leader look at everything once more, as it does every few minutes, if a former leader may have overwritten
// its writes. Nothing else may depend on it.
func (w *World) resync() {
	if w.processes == 1 {
		return
	}
	for _, kind := range []schema.GroupVersionKind{kinds.Machine, kinds.HealthCheck, kinds.OpenShiftCheck, kinds.Record} {
		for _, obj := range w.Server.All(kind) {
			w.Leader.wake(apimodel.Change{Kind: kind, Key: client.ObjectKeyFromObject(obj.Typed()), After: obj})
		}
	}
}

const (
	// busiest is how many steps may happen at one moment, and busy how many writes in a whole rest. Looks that change nothing may be many: a power
	// cycle looks for its Node all the time.
	busiest = 400
	busy    = 4000
	looks   = 40000
)

// Rest lets time pass without faults, at most until over returns true. Whenever nothing is left to do for now, it calls check.
func (w *World) Rest(length time.Duration, check func(), over func() bool) {
	until, all, atOnce, written := w.clock.now.Add(length), 0, 0, w.Server.Version()
	for w.Failure == nil {
		w.syncCaches()
		w.note()
		now := w.clock.now
		if len(w.Leader.queue.ready) == 0 && len(w.work()) == 0 {
			if w.idle(until, check, over) {
				return
			}
			atOnce = 0
		}
		w.usual()
		if all, atOnce = all+1, atOnce+1; w.clock.now.After(now) {
			atOnce = 0
		}
		if all > looks || atOnce > busiest || w.Server.Version()-written > busy {
			w.Fail(rules.Rest, "after %d steps, %d of them at one moment, %s is still busy with %v", all, atOnce, w.Leader.Name, w.Leader.queue.ready)
		}
	}
}

// idle handles a world in which nothing is left to do for now. It reports whether the rest is over: over says so, or nothing
// is due before until.
func (w *World) idle(until time.Time, check func(), over func() bool) bool {
	w.observer.Rested()
	if check != nil {
		check()
	}
	if over != nil && over() {
		return true
	}
	if next := w.Next(); next.IsZero() || next.After(until) {
		w.setClock(until)
		return true
	}
	return false
}
