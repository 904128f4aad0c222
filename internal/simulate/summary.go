package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// assumptions returns the assumptions, most important first.
func (s *Scene) assumptions(failing []failing) []string {
	all := []string{s.options.World.words(humanize.Span(s.options.RepairTakes)) + ", nobody approves anything, and nothing else changes"}
	for _, one := range failing {
		all = append(all, one.words(s))
	}
	return all
}

// staying says which machines are being deleted at the beginning, and are not gone before the end: nobody knows when a deletion ends that has taken
// longer than an action takes, or that nobody's repair began.
func (s *Scene) staying() []string {
	var names []string
	for _, m := range s.machines {
		if at := m.obj.DeletionTimestamp; !at.IsZero() && (m.record == nil || s.now.Sub(at.Time) > s.options.RepairTakes) {
			m.hangs = true
			names = append(names, fmt.Sprintf("%s (for %s)", m.obj.Name, explain.Took(&at.Time, &s.now)))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"what is being deleted already is not gone before the end: " + explain.SomeNames(names)}
}

// tooShort says which steps time out before an action can help.
func (s *Scene) tooShort() []string {
	var all []string
	for _, c := range s.checks {
		for _, step := range c.decision.Steps {
			if takes := s.options.RepairTakes; ladder.Acts(step.Action) && step.Timeout() < takes {
				all = append(all, fmt.Sprintf("step %s of %s times out after %s, before an action helps (--repair-takes)", step.Name, c.mhc.Name, humanize.Span(step.Timeout())))
			}
		}
	}
	return all
}

// unjudged says how many machines cannot be judged here.
func (s *Scene) unjudged() []string {
	n := 0
	for _, m := range s.machines {
		if !m.judged() && m.pausedBy() == "" && !m.check.foreign {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{humanize.Count(n, "machine keeps its verdict, because its Node", "machines keep their verdicts, because their Nodes") + " cannot be read from here"}
}

// words says which machines fail.
func (f failing) words(s *Scene) string {
	var names []string
	already := 0
	for _, m := range f.machines {
		if m.notReady() {
			already++
			continue
		}
		names = append(names, m.obj.Name)
	}
	text := fmt.Sprintf("the Nodes of %d of %s stop being Ready now (%s)", len(names), humanize.Count(len(s.machines), "machine", "machines"), f.fail)
	if len(names) > 0 && f.fail.machine == "" {
		text = fmt.Sprintf("the Nodes of %d of %s stop being Ready now (%s: %s)", len(names), humanize.Count(len(s.machines), "machine", "machines"), f.fail, explain.SomeNames(names))
	}
	if already > 0 {
		text += fmt.Sprintf("; %d more are already not Ready", already)
	}
	if f.nodeless > 0 {
		text += fmt.Sprintf("; %d more have no Node", f.nodeless)
	}
	return text
}

// sumUp counts the states, at the end, of the machines that were sick.
func (s *Scene) sumUp() {
	sum := &s.result.Summary
	held := map[string][]string{}
	for _, m := range s.machines {
		if !s.counts(m) {
			continue
		}
		sum.Sick++
		switch why := m.end(); why {
		case "":
			sum.Healthy++
		case replaced:
			sum.Replaced++
		case inRepair:
			sum.InRepair++
		default:
			held[why] = append(held[why], m.obj.Name)
		}
	}
	s.result.Assumptions = append(s.result.Assumptions, slices.Sorted(maps.Keys(s.assumed))...)
	for why, machines := range held {
		slices.Sort(machines)
		sum.HeldBack = append(sum.HeldBack, Held{why, machines})
	}
	slices.SortFunc(sum.HeldBack, func(a, b Held) int {
		return cmp.Or(cmp.Compare(len(b.Machines), len(a.Machines)), cmp.Compare(a.Why, b.Why))
	})
}

// counts counts the repair of a machine, and reports whether it was sick. What goes on without end counts once, by the machine with which it began.
func (s *Scene) counts(m *machine) bool {
	if m.forerunner != nil && m.root().endless {
		return false
	}
	switch {
	case m.underWay && m.wasSick:
		s.result.Summary.UnderWay++
	case m.acted && m.wasSick:
		// A person may have asked for a power cycle of a healthy one.
		s.result.Summary.Repaired++
	}
	return m.wasSick
}

// Answer sums up a result.
func (r *Result) Answer() string {
	sum, over := &r.Summary, humanize.Span(r.Until.Sub(r.From))
	switch {
	case sum.Sick == 0 && r.selectsNone() != "":
		return fmt.Sprintf("Nothing would be repaired within %s: %s", over, r.selectsNone())
	case sum.Sick == 0:
		return fmt.Sprintf("Nothing would be repaired within %s: no machine falls sick", over)
	case sum.Repaired == 0 && sum.UnderWay > 0:
		return fmt.Sprintf("Within %s, no other repair would begin, besides %d that has begun. %s", over, sum.UnderWay, sum.ends(false))
	case sum.Repaired == 0:
		return fmt.Sprintf("Nothing would be repaired within %s. %s", over, sum.ends(true))
	}
	before := ""
	if sum.UnderWay > 0 {
		before = fmt.Sprintf(", besides %d whose repair has begun", sum.UnderWay)
	}
	if sum.MostAtOnce > 0 {
		before += fmt.Sprintf(", at most %d at once", sum.MostAtOnce)
	}
	return fmt.Sprintf("Within %s, repairs would begin on %d of %s%s. %s", over, sum.Repaired, humanize.Count(sum.Sick, "sick machine", "sick machines"), before, sum.ends(false))
}

// selectsNone says why a changed health check, or the only one, has no machine; empty if each has one.
func (r *Result) selectsNone() string {
	for i := range r.Checks {
		if c := &r.Checks[i]; c.Nothing != "" && (c.Change != "" || len(r.Checks) == 1) {
			return "MachineHealthCheck " + c.Name + " " + c.Nothing
		}
	}
	return ""
}

// ends says how many of the machines that were sick are in each state at the end.
func (s *Summary) ends(all bool) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(s.Healthy, "healthy again")
	add(s.Replaced, "replaced")
	add(s.InRepair, "in repair")
	for _, one := range s.HeldBack {
		add(len(one.Machines), fmt.Sprintf("not healthy (%s): %s", one.Why, explain.SomeNames(one.Machines)))
	}
	if all {
		return fmt.Sprintf("%s sick; at the end %s", humanize.Count(s.Sick, "machine is", "machines are"), strings.Join(parts, "; "))
	}
	return "At the end: " + strings.Join(parts, "; ")
}
