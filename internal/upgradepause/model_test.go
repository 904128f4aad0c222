package upgradepause

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestHistories: whatever people, upgrades, clocks, caches and the API server do, and in which order,
// the promises hold. A model of who wants what, which shares nothing with the code, is kept beside.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			live: map[string]*object{}, past: map[string][]object{}, now: noon,
			warnAfter: rapid.SampledFrom([]time.Duration{30 * time.Minute, warnAfter}).Draw(t, "warn after"),
			within:    rapid.SampledFrom([]time.Duration{0, settleWithin, 2 * time.Hour}).Draw(t, "settle within"),
		}
		for i := range m.signals {
			m.signals[i] = signal{said: []news{{}}}
		}
		m.create(t)
		t.Repeat(m.actions())
	})
}

// model is an API server with MachineHealthChecks, signals, and a controller that keeps nothing in mind.
type model struct {
	live map[string]*object
	// past is each version that there has been under a name: a cache may still show it.
	past    map[string][]object
	signals [2]signal
	// now is the time; the controller's clock is ahead of it by skew.
	now       time.Time
	skew      time.Duration
	warnAfter time.Duration
	// within is how long Nodes may take to get Ready, and away that they are not.
	within time.Duration
	away   bool
	// fail refuses the next write. One that is carried out, and whose answer is lost, is as any other: the
	// controller keeps nothing in mind.
	fail bool
	// version and upgrade count, so that none comes twice.
	version, upgrade int
}

type object struct {
	uid, version int
	annotations  stored
	// clusterExcepts says that its Cluster wants nothing to be paused.
	clusterExcepts bool
	ghost          *ghost
}

// signal is everything that it has said; the controller has heard a part of that.
type signal struct {
	said  []news
	heard int
}

// news is what a signal says at a time.
type news struct {
	upgrades []string
	// halted: none of them goes on now.
	halted     bool
	unreadable bool
}

func (s signal) latest() news { return s.said[len(s.said)-1] }

// concerns: the first signal is about everything, the second about a part of it.
func (m *model) concerns(i int, name string) bool { return i == 0 || name != "c" }

// sees returns what concerns an object, by what was said. The upgrades of the second signal are parts of those of the first.
func (m *model) sees(name string, by func(signal) news) seen {
	s := seen{excepted: m.live[name] != nil && m.live[name].clusterExcepts, away: m.away, within: m.within, follows: map[string]string{}}
	for i, signal := range m.signals {
		if !m.concerns(i, name) {
			continue
		}
		n := by(signal)
		switch {
		case n.unreadable:
			s.unknown = append(s.unknown, idsOf(i))
		case n.halted:
			s.halted = append(s.halted, n.upgrades...)
		default:
			s.active = append(s.active, n.upgrades...)
		}
		for _, id := range n.upgrades {
			if i > 0 && !n.unreadable {
				s.follows[id] = idsOf(0)
			}
		}
	}
	return s
}

// facts are what the controller makes of that.
func (s seen) facts(annotations stored, warnAfter time.Duration) Facts {
	f := Facts{Annotations: annotations, WarnAfter: warnAfter, Excepted: s.excepted, Settle: Settle{Within: s.within}}
	f.Upgrades = upgrading(s.active...)
	for _, u := range upgrading(s.halted...) {
		u.Halted = true
		f.Upgrades = append(f.Upgrades, u)
	}
	for i := range f.Upgrades {
		f.Upgrades[i].Follows = s.follows[f.Upgrades[i].ID]
	}
	for _, prefix := range s.unknown {
		f.Unknown = append(f.Unknown, Unknown{IDs: prefix, Why: "no permission"})
	}
	if s.away && f.over() {
		f.Settle.NotReady = []string{"machine"}
	}
	return f
}

// idsOf is how the IDs of a signal's upgrades begin.
func idsOf(signal int) string { return fmt.Sprintf("upgrade-%d/", signal) }

// ofUnknown reports whether nobody can tell whether an upgrade goes on.
func ofUnknown(id string, unknown []string) bool {
	return slices.ContainsFunc(unknown, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}

// look lets the controller decide on a version of an object, which may be an old one, and write.
func (m *model) look(t *rapid.T, name string, seen object) (wrote bool) {
	known := m.sees(name, func(s signal) news { return s.said[s.heard] })
	f := known.facts(seen.annotations, m.warnAfter)
	clock := m.now.Add(m.skew)
	d := Decide(f, clock)
	switch {
	case len(d.Changes) == 0 && d.Transition != None:
		t.Fatalf("%s: transition %d is not stored, so it will be told for ever", name, d.Transition)
	case !d.RecheckAt.IsZero() && !d.RecheckAt.After(clock):
		t.Fatalf("%s: the next look is due at %s, at once", name, d.RecheckAt)
	case len(d.Changes) == 0:
		return false
	}
	o := m.live[name]
	if o == nil || o.uid != seen.uid || o.version != seen.version {
		return false // a conflict
	}
	fail := m.fail
	m.fail = false
	if fail {
		return false
	}
	before := o.annotations
	m.write(name, func(o *object) { o.annotations = before.after(d) })
	o.ghost.judge(t, before, o.annotations, known, clock)
	if d.Transition == Warn {
		o.ghost.warn(t, m)
	}
	return true
}

// write stores a new version of an object.
func (m *model) write(name string, change func(*object)) {
	o := m.live[name]
	o.annotations = o.annotations.and(nil)
	change(o)
	m.version++
	o.version = m.version
	m.past[name] = append(m.past[name], *o)
}

// settle lets a controller that hears everything, and whose writes succeed, run until it rests.
func (m *model) settle(t *rapid.T) {
	m.fail = false
	for i := range m.signals {
		m.signals[i].heard = len(m.signals[i].said) - 1
	}
	for _, name := range m.names() {
		writes := 0
		for m.look(t, name, *m.live[name]) {
			if writes++; writes > 1 {
				t.Fatalf("%s does not come to rest: %v", name, m.live[name].annotations)
			}
		}
	}
}

// copy returns a model to go on with differently.
func (m *model) copy() *model {
	other := *m
	other.live, other.past = map[string]*object{}, map[string][]object{}
	for name, o := range m.live {
		clone := *o
		clone.ghost = o.ghost.copy()
		other.live[name] = &clone
	}
	for i := range other.signals {
		other.signals[i].said = slices.Clone(m.signals[i].said)
	}
	return &other
}

// say adds to what a signal says.
func (m *model) say(i int, change func(*news)) {
	n := m.signals[i].latest()
	n.upgrades = slices.Clone(n.upgrades)
	change(&n)
	m.signals[i].said = append(m.signals[i].said, n)
}

func (m *model) newUpgrade(signal int) string {
	m.upgrade++
	return fmt.Sprintf("%s%d", idsOf(signal), m.upgrade)
}

// names of what there is, in order: the same seed has to be the same history.
func (m *model) names() []string { return slices.Sorted(maps.Keys(m.live)) }

// describe an object, for a failure.
func (o object) String() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(o.annotations)) {
		parts = append(parts, fmt.Sprintf("%s=%q", key, o.annotations[key]))
	}
	return strings.Join(parts, " ")
}
