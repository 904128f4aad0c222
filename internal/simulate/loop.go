package simulate

import "slices"

// often is how many times the timeline says the same of one machine.
const often = 2

// loops reports whether a machine is replaced for the same reason as its forerunner, so that its successor will be, too.
func (m *machine) loops() bool {
	return m.forerunner != nil && m.goneFor != "" && m.goneFor == m.forerunner.goneFor
}

// root returns the observed machine in whose place a machine is.
func (m *machine) root() *machine {
	for m.forerunner != nil {
		m = m.forerunner
	}
	return m
}

// tellLoop says once that what happens to a machine goes on without end.
func (s *Scene) tellLoop(m *machine, why string) {
	root, what := m.root(), "goes on like this"
	if root.looped {
		return
	}
	root.looped = true
	if why != "" {
		what += ": " + why
	}
	s.say(m.check, KindLoop, m, m.obj.Name, what)
}

// repeats reports whether the timeline has said the same of a machine, or of those before it, often enough.
func (m *machine) repeats(kind Kind, what string) bool {
	if m.again {
		return true
	}
	if kind != KindRepair && kind != KindWaits {
		return false
	}
	if m.said == nil {
		m.said = map[string]int{}
	}
	m.said[what]++
	return m.said[what] > often
}

// circles tells that a repair only repeats itself.
func (s *Scene) circles(m *machine, what string) {
	if m == nil || m.again || m.said[what] <= often {
		return
	}
	why := ""
	if m.waitsForOwner() {
		why = m.left
	}
	s.tellLoop(m, why)
}

// Told returns the events of the timeline without those that only repeat what has happened before.
func (r *Result) Told() []Event {
	return slices.DeleteFunc(slices.Clone(r.Timeline), func(e Event) bool { return e.Repeats })
}
