package machinehealthcheck

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// actedLag is for how long a remedy that we applied counts as in flight although
// the cache does not show it. A cache that is further behind than that has lost
// its connection, and then no remedy can be applied anyway.
const actedLag = 30 * time.Second

// acted remembers on which Machines a remedy was just applied, so that a budget is
// never overdrawn on account of a lagging cache. It bridges that lag and nothing
// else: the truth is in the API, and after a restart it is read from there.
type acted struct {
	mu sync.Mutex
	at map[types.NamespacedName]map[types.UID]time.Time // by MachineHealthCheck, then by Machine
}

// note remembers that a remedy was applied to a Machine.
func (a *acted) note(mhc types.NamespacedName, machine types.UID, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at == nil {
		a.at = map[types.NamespacedName]map[types.UID]time.Time{}
	}
	if a.at[mhc] == nil {
		a.at[mhc] = map[types.UID]time.Time{}
	}
	a.at[mhc][machine] = now
}

// learn notes what was seen past the cache: the cache may not show it for a while.
func (a *acted) learn(mhc types.NamespacedName, all []Target, now time.Time) {
	for _, target := range all {
		if target.inFlight() {
			a.note(mhc, target.Machine.UID, now)
		}
	}
}

// mark sets ActedUntil on the targets whose remedy the cache does not show yet, and
// forgets those that it shows. It returns until when remedies count whose Machine it
// does not show: one that has just been created, or that is gone.
func (a *acted) mark(mhc types.NamespacedName, all []Target, now time.Time) (unseen []time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.at[mhc], func(_ types.UID, at time.Time) bool { return !now.Before(at.Add(actedLag)) })
	seen := 0
	for i := range all {
		at, ok := a.at[mhc][all[i].Machine.UID]
		if !ok {
			continue
		}
		if all[i].inFlight() {
			delete(a.at[mhc], all[i].Machine.UID)
			continue
		}
		all[i].ActedUntil = at.Add(actedLag)
		seen++
	}
	if seen == len(a.at[mhc]) {
		return nil
	}
	return a.unseen(mhc, all)
}

func (a *acted) unseen(mhc types.NamespacedName, all []Target) []time.Time {
	hidden := maps.Clone(a.at[mhc])
	for _, target := range all {
		delete(hidden, target.Machine.UID)
	}
	var until []time.Time
	for _, at := range hidden {
		until = append(until, at.Add(actedLag))
	}
	return until
}

// forget drops what is kept for a MachineHealthCheck that is gone.
func (a *acted) forget(mhc types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.at, mhc)
}

// firsts remembers which MachineHealthChecks were looked at past the cache once.
type firsts struct{ seen sync.Map }

// done tells whether it was looked at.
func (f *firsts) done(mhc types.NamespacedName) bool {
	_, done := f.seen.Load(mhc)
	return done
}

// note notes that it was.
func (f *firsts) note(mhc types.NamespacedName) { f.seen.Store(mhc, true) }

func (f *firsts) forget(mhc types.NamespacedName) { f.seen.Delete(mhc) }
