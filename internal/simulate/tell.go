package simulate

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// moment is what has happened at one moment.
type moment struct {
	failed []*machine
	judged []*machine
	gone   []departure
	// records are the records that were touched.
	records []*record
	events  []Event
}

// departure is a machine that is gone, and its successor; nil if there is none.
type departure struct{ machine, successor *machine }

// note remembers the verdict on a machine before this moment.
func (m *moment) note(one *machine, before metav1.Condition) {
	if !one.seen {
		one.seen, one.before = true, before
		m.judged = append(m.judged, one)
	}
}

// shown is what the timeline last said about a health check.
type shown struct {
	// gate is empty while the gate is open.
	gate string
	// waits has the reason why each machine waits.
	waits map[types.UID]string
}

// tell adds what has happened at this moment to the timeline. If the same happens to several machines, that is one event.
func (s *Scene) tell() {
	for _, m := range s.moment.failed {
		s.say(m.check, KindFails, m, m.obj.Name, "the Node stops being Ready")
	}
	for _, d := range s.moment.gone {
		s.say(d.machine.check, KindGone, d.machine, d.machine.obj.Name, s.departs(d))
		if d.machine.loops() {
			d.machine.root().endless = true
			s.tellLoop(d.machine, "each successor falls sick as the machine before it: "+d.machine.goneFor)
		}
	}
	for _, m := range s.moment.judged {
		s.tellVerdict(m)
	}
	for _, c := range s.checks {
		s.tellGate(c)
	}
	for _, r := range s.moment.records {
		s.tellRecord(r)
	}
	for _, c := range s.checks {
		s.tellWaiting(c)
		s.result.Summary.MostAtOnce = max(s.result.Summary.MostAtOnce, len(c.decision.InFlight))
	}
	for _, m := range s.moment.failed {
		m.fails = false
	}
	for i := range s.moment.events {
		if e := &s.moment.events[i]; len(e.Machines) > 1 {
			e.What = plural(e.What)
		}
	}
	s.result.Timeline = append(s.result.Timeline, s.moment.events...)
	s.moment = moment{}
}

func (s *Scene) tellVerdict(m *machine) {
	is := m.verdict()
	m.seen, m.wasSick = false, m.wasSick || m.sick()
	if is.Status == m.before.Status || m.gone {
		return
	}
	switch is.Status {
	case metav1.ConditionFalse:
		s.say(m.check, KindSick, m, m.obj.Name, "falls sick: "+is.Message)
	case metav1.ConditionTrue:
		if m.before.Status == "" {
			// It is new, and the timeline says so already.
			return
		}
		s.say(m.check, KindHealthy, m, m.obj.Name, "is healthy")
	default:
		if !m.fails && m.before.Status != "" {
			s.say(m.check, KindUndecided, m, m.obj.Name, "is undecided: "+is.Message)
		}
	}
}

// tellGate says whether repairs may begin from now on, if that has changed. Without machines, it does not matter whether they may.
func (s *Scene) tellGate(c *check) {
	d := &c.decision
	if d.Counts.Expected == 0 {
		return
	}
	state := ""
	switch {
	case len(d.Paused) > 0 || c.foreign:
	case d.Stopped.Reason != "":
		state = d.Stopped.Message
	case !d.Allowed:
		state = "closed"
	}
	switch {
	case state == c.shown.gate:
	case state == "closed":
		s.say(c, KindGate, nil, "", "the gate closes: "+c.arithmetic(s))
	case state != "":
		s.say(c, KindGate, nil, "", "nothing is repaired: "+state)
	case c.shown.gate == "closed":
		s.say(c, KindGate, nil, "", "the gate opens: "+c.arithmetic(s))
	default:
		s.say(c, KindGate, nil, "", "repairs may begin again")
	}
	c.shown.gate = state
}

// arithmetic says how many machines are not healthy, and how many may be.
func (c *check) arithmetic(s *Scene) string {
	text, _, _ := strings.Cut((&explain.Check{Facts: c.facts, Decision: c.decision}).Allowed(s.now).Message, "; ")
	return text
}

// tellRecord says how a repair has progressed.
func (s *Scene) tellRecord(r *record) {
	before := r.before
	r.before = nil
	what := explain.Change(before, r.obj)
	kind := KindRepair
	if r.isNew {
		kind, what = KindAdmitted, explain.JoinParts("goes into repair", what)
	}
	r.isNew = false
	if what == "" && before.Spec.Grant < r.obj.Spec.Grant {
		what = "gets another slot"
	}
	if what != "" {
		s.say(r.check, kind, r.machine, r.obj.Spec.MachineRef.Name, what)
		s.circles(r.machine, what)
	}
}

// tellWaiting says which machines begin to wait, and for what. For a health check that does not act, it says which machines
// would be repaired.
func (s *Scene) tellWaiting(c *check) {
	is := map[types.UID]string{}
	for _, one := range c.decision.Waiting {
		if c.byUID[one.UID].check != c {
			continue // another health check says what becomes of it
		}
		is[one.UID] = one.Reason
		if c.shown.waits[one.UID] != one.Reason {
			s.say(c, KindWaits, c.byUID[one.UID], one.Machine, waitWords(one))
		}
	}
	if c.decision.Config.OnlyReports() {
		for _, one := range c.decision.Admit {
			is[one.Machine.UID] = "Would"
			if c.shown.waits[one.Machine.UID] != "Would" {
				s.say(c, KindWould, c.byUID[one.Machine.UID], one.Machine.Name, "would be repaired: "+c.decision.StepOf(one))
			}
		}
	}
	c.shown.waits = is
}

// say adds an event about a machine, or about the health check. The same event about several machines of a health check is
// one event.
func (s *Scene) say(c *check, kind Kind, m *machine, machine, what string) {
	e := Event{At: s.now, Namespace: c.mhc.Namespace, Check: c.mhc.Name, Kind: kind, What: what}
	d := &c.decision
	e.NotHealthy, e.Expected, e.InFlight = d.Counts.Unhealthy(), d.Counts.Expected, len(d.InFlight)
	if d.Bounded() && d.Config.MaxInFlight != nil {
		e.Slots = new(d.Slots())
	}
	e.Repeats = m != nil && m.repeats(kind, what)
	if machine == "" {
		s.moment.events = append(s.moment.events, e)
		return
	}
	same := func(o Event) bool {
		return o.Check == e.Check && o.Namespace == e.Namespace && o.Kind == kind && o.What == what && o.Repeats == e.Repeats
	}
	if i := slices.IndexFunc(s.moment.events, same); i >= 0 {
		s.moment.events[i].Machines = append(s.moment.events[i].Machines, machine)
		return
	}
	e.Machines = []string{machine}
	s.moment.events = append(s.moment.events, e)
}
