package pause

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
)

// TestHistories: whatever people, upgrades, clocks, caches and the API server do, and in whatever order, the promises hold.
// A separate model, which shares nothing with the code, tracks what people want.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			People: pausing.NewPeople(rapid.SampledFrom([]time.Duration{30 * time.Minute, warnAfter}).Draw(t, "warn after")),
			within: rapid.SampledFrom([]time.Duration{0, settleWithin, 2 * time.Hour}).Draw(t, "settle within"),
		}
		for i := range m.signals {
			m.signals[i] = signal{said: []news{{}}}
		}
		m.Create(t)
		t.Repeat(m.actions())
	})
}

// model is an API server with MachineHealthChecks, signals, and a controller without memory.
type model struct {
	pausing.People
	signals [2]signal
	// skew is how far the controller's clock is ahead.
	skew time.Duration
	// within is how long Nodes may take to become Ready; away means that they are not Ready.
	within time.Duration
	away   bool
	// fail rejects the next write. A write that succeeds but whose answer is lost needs no case of its own: the controller
	// has no memory.
	fail bool
	// upgrade counts upgrades, so that each is new.
	upgrade int
}

// signal has everything that it reported; the controller has read a part of that.
type signal struct {
	said []news
	read int
}

// news is what a signal reports at a time.
type news struct {
	upgrades []string
	// halted means that none of them goes on now.
	halted     bool
	unreadable bool
}

func (s signal) latest() news { return s.said[len(s.said)-1] }

// concerns: the first signal concerns every object, the second only some.
func (m *model) concerns(i int, name string) bool { return i == 0 || name != "c" }

// sees returns the signals that concern an object. The upgrades of the second signal are parts of the first one's.
func (m *model) sees(name string, by func(signal) news) pausing.Seen {
	s := pausing.Seen{Excepted: m.Live[name] != nil && m.Live[name].ClusterExcepts, Away: m.away, Within: m.within, Follows: map[string]string{}}
	for i, signal := range m.signals {
		if !m.concerns(i, name) {
			continue
		}
		n := by(signal)
		switch {
		case n.unreadable:
			s.Unknown = append(s.Unknown, idsOf(i))
		case n.halted:
			s.Halted = append(s.Halted, n.upgrades...)
		default:
			s.Active = append(s.Active, n.upgrades...)
		}
		for _, id := range n.upgrades {
			if i > 0 && !n.unreadable {
				s.Follows[id] = idsOf(0)
			}
		}
	}
	return s
}

// factsOf returns the controller's facts for that.
func factsOf(s pausing.Seen, annotations stored, warnAfter time.Duration) Facts {
	f := Facts{Annotations: annotations, WarnAfter: warnAfter, Excepted: s.Excepted, Settle: Settle{Within: s.Within}}
	f.Upgrades = upgrading(s.Active...)
	for _, u := range upgrading(s.Halted...) {
		u.Halted = true
		f.Upgrades = append(f.Upgrades, u)
	}
	for i := range f.Upgrades {
		f.Upgrades[i].Follows = s.Follows[f.Upgrades[i].ID]
	}
	for _, prefix := range s.Unknown {
		f.Unknown = append(f.Unknown, Unknown{IDs: prefix, Why: "no permission"})
	}
	if s.Away && f.Over() {
		f.Settle.NotReady = []string{"machine"}
	}
	return f
}

// idsOf returns the ID prefix of a signal's upgrades.
func idsOf(signal int) string { return fmt.Sprintf("upgrade-%d/", signal) }

// look makes the controller decide on a version of an object, which may be an old one, and write.
func (m *model) look(t *rapid.T, name string, seen pausing.Object) (wrote bool) {
	known := m.sees(name, func(s signal) news { return s.said[s.read] })
	f := factsOf(known, seen.Annotations, m.WarnAfter)
	clock := m.Now.Add(m.skew)
	d := Decide(f, clock)
	switch {
	case len(d.Changes) == 0 && d.Transition != None:
		t.Fatalf("%s: transition %d is not stored, so it will be announced for ever", name, d.Transition)
	case !d.RecheckAt.IsZero() && !d.RecheckAt.After(clock):
		t.Fatalf("%s: the next look is due at %s, at once", name, d.RecheckAt)
	case len(d.Changes) == 0:
		return false
	}
	o := m.Live[name]
	if o == nil || o.UID != seen.UID || o.Version != seen.Version {
		return false // a conflict
	}
	fail := m.fail
	m.fail = false
	if fail {
		return false
	}
	before := o.Annotations
	m.Write(name, func(o *pausing.Object) { o.Annotations = before.After(d.Changes) })
	o.Ghost.Judge(t, before, o.Annotations, known, clock)
	if d.Transition == Warn {
		o.Ghost.Warn(t, &m.People)
	}
	return true
}

// settle runs a controller that reads everything, and whose writes succeed, until it rests.
func (m *model) settle(t *rapid.T) {
	m.fail = false
	for i := range m.signals {
		m.signals[i].read = len(m.signals[i].said) - 1
	}
	for _, name := range m.Names() {
		writes := 0
		for m.look(t, name, *m.Live[name]) {
			if writes++; writes > 1 {
				t.Fatalf("%s did not settle: %v", name, m.Live[name].Annotations)
			}
		}
	}
}

// fork returns a copy of the model that can continue differently.
func (m *model) fork() *model {
	other := *m
	other.People = m.Copy()
	for i := range other.signals {
		other.signals[i].said = slices.Clone(m.signals[i].said)
	}
	return &other
}

// say changes what a signal reports.
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
