package pause

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
)

// actions returns what may happen next.
func (m *model) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":                         m.check,
		"upgrade begins":           m.begin,
		"upgrade ends":             m.end,
		"upgrade after upgrade":    m.replace,
		"signal fails or comes":    m.toggle,
		"upgrade halts or goes on": m.halt,
		"nodes go or come back":    func(*rapid.T) { m.away = !m.away },
		"cluster excepts or not":   m.exceptCluster,
		"news arrive":              m.arrive,
		"time passes":              m.wait,
		"create":                   m.Create,
		"delete":                   m.Remove,
		"user pauses":              m.Pause,
		"user unpauses":            m.Unpause,
		"user takes our marker":    m.Unmark,
		"user hands over":          m.HandOver,
		"user excepts":             m.Except,
		"everything is pruned":     m.Prune,
		"look":                     m.lookLatest,
		"look again":               m.lookLatest,
		"look at an old version":   m.lookOld,
		"next write fails":         m.failNext,
		"restart":                  m.restart,
		"rest":                     m.settleAll,
	}
}

// check looks ahead from here: without faults, the controller comes to rest, both during upgrades and after them.
func (m *model) check(t *rapid.T) {
	during := m.fork()
	for i := range during.signals {
		during.say(i, func(n *news) { n.unreadable = false })
	}
	during.settle(t)
	during.atRest(t)
	after := during.fork()
	for i := range after.signals {
		after.say(i, func(n *news) { n.upgrades = nil })
	}
	after.settle(t)
	after.atRest(t)
	// Nodes that never come back delay nobody for longer than they may take.
	after.Now = after.Now.Add(after.within + 2*pausing.MaxSkew)
	after.settle(t)
	for name, o := range after.Live {
		if o.Ghost.By == "us" {
			t.Fatalf("%s stays paused after everything: %s", name, o)
		}
	}
}

func (m *model) atRest(t *rapid.T) {
	for name, o := range m.Live {
		o.Ghost.AtRest(t, &m.People, o, m.sees(name, signal.latest))
	}
}

func (m *model) settleAll(t *rapid.T) {
	m.settle(t)
	m.atRest(t)
}

func (m *model) anySignal(t *rapid.T) int {
	return rapid.IntRange(0, len(m.signals)-1).Draw(t, "signal")
}

func (m *model) begin(t *rapid.T) {
	i := m.anySignal(t)
	if len(m.signals[i].latest().upgrades) > i {
		t.Skip("enough upgrades")
	}
	m.say(i, func(n *news) { n.upgrades = append(n.upgrades, m.newUpgrade(i)) })
}

func (m *model) end(t *rapid.T) {
	i := m.anySignal(t)
	going := m.signals[i].latest().upgrades
	if len(going) == 0 {
		t.Skip("no upgrade")
	}
	which := rapid.IntRange(0, len(going)-1).Draw(t, "which")
	m.say(i, func(n *news) { n.upgrades = slices.Delete(n.upgrades, which, which+1) })
}

// replace: one upgrade ends and another begins at the same moment.
func (m *model) replace(t *rapid.T) {
	i := m.anySignal(t)
	if len(m.signals[i].latest().upgrades) == 0 {
		t.Skip("no upgrade")
	}
	m.say(i, func(n *news) { n.upgrades[0] = m.newUpgrade(i) })
}

func (m *model) toggle(t *rapid.T) {
	m.say(m.anySignal(t), func(n *news) { n.unreadable = !n.unreadable })
}

func (m *model) halt(t *rapid.T) {
	m.say(m.anySignal(t), func(n *news) { n.halted = !n.halted })
}

func (m *model) exceptCluster(t *rapid.T) {
	o := m.Live[m.Draw(t)]
	o.ClusterExcepts = !o.ClusterExcepts
}

func (m *model) arrive(t *rapid.T) {
	s := &m.signals[m.anySignal(t)]
	s.read = rapid.IntRange(s.read, len(s.said)-1).Draw(t, "read")
}

func (m *model) wait(t *rapid.T) {
	m.Now = m.Now.Add(rapid.SampledFrom([]time.Duration{
		300 * time.Millisecond, time.Second, time.Minute, 31 * time.Minute, time.Hour, 5 * time.Hour,
	}).Draw(t, "for"))
}

// lookLatest makes the controller look at the current object; lookOld, at an earlier version or a deleted object of the
// same name.
func (m *model) lookLatest(t *rapid.T) {
	name := m.Draw(t)
	m.look(t, name, *m.Live[name])
}

func (m *model) lookOld(t *rapid.T) {
	name := m.Draw(t)
	m.look(t, name, rapid.SampledFrom(m.Past[name]).Draw(t, "version"))
}

func (m *model) failNext(*rapid.T) { m.fail = true }

// restart starts another controller on another computer. It reads everything when it starts.
func (m *model) restart(t *rapid.T) {
	m.skew = time.Duration(rapid.IntRange(-2, 2).Draw(t, "minutes ahead")) * pausing.MaxSkew / 2
	for i := range m.signals {
		m.signals[i].read = len(m.signals[i].said) - 1
	}
}
