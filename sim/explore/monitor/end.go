package monitor

import (
	"cmp"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// staysSo is how long a world is watched after it has settled.
const staysSo = 2 * time.Hour

// End ends faults and sends people home, and then makes everybody cooperate. Finally, it checks that no shared object was
// changed.
func (m *Monitor) End() {
	m.settles()
	if m.w.Failure == nil && m.w.Spec.Recover > 0 {
		m.recovers()
	}
	if m.w.Failure == nil {
		m.intact()
	}
}

// settles checks that a world without faults settles in good order.
func (m *Monitor) settles() {
	w := m.w
	w.Calm()
	w.Rest(w.Spec.Settle, nil, nil)
	w.Rest(cmp.Or(w.Spec.Watch, staysSo), m.inGoodOrder, nil)
	m.notStarved()
}

// recovers checks that all machines become healthy once everybody cooperates.
func (m *Monitor) recovers() {
	m.predicted = nil
	m.w.Cooperate()
	m.w.Rest(m.w.Spec.Recover, nil, func() bool { return m.notRecovered() == "" })
	if why := m.notRecovered(); why != "" {
		m.w.Fail(rules.Recovery, "%s", why)
	}
}

// intact checks that all objects are as they were written, because the controllers share what a cache holds.
func (m *Monitor) intact() {
	for _, kind := range slices.Concat(kinds.Cached, kinds.Upgrades) {
		for _, obj := range m.w.Server.All(kind) {
			if !obj.Intact() {
				m.w.Fail(rules.Cache, "%s %s was changed in the cache", kind.Kind, obj.Typed().GetName())
			}
		}
	}
}
