package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/words"
)

// assumptions returns the assumptions, most important first.
func (s *Scene) assumptions(failing []failing) []string {
	all := []string{s.options.World.words(words.Span(s.options.RepairTakes)) + ", nobody approves anything, and nothing else changes"}
	for _, one := range failing {
		all = append(all, one.words(s))
	}
	return all
}

// unjudged says how many machines cannot be judged here.
func (s *Scene) unjudged() []string {
	n := 0
	for _, m := range s.machines {
		if !m.judged() && m.check.paused == "" && !m.check.foreign {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{words.Count(n, "machine keeps its verdict, because its Node", "machines keep their verdicts, because their Nodes") + " cannot be read from here"}
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
	text := fmt.Sprintf("the Nodes of %d of %s stop being Ready now (%s)", len(names), words.Count(len(s.machines), "machine", "machines"), f.fail)
	if len(names) > 0 && f.fail.machine == "" {
		text = fmt.Sprintf("the Nodes of %d of %s stop being Ready now (%s: %s)", len(names), words.Count(len(s.machines), "machine", "machines"), f.fail, explain.SomeNames(names))
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
		switch {
		case m.acted:
			sum.Repaired++
		case m.underWay && m.wasSick:
			sum.UnderWay++
		}
		if !m.wasSick {
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
	for why, machines := range held {
		slices.Sort(machines)
		sum.HeldBack = append(sum.HeldBack, Held{why, machines})
	}
	slices.SortFunc(sum.HeldBack, func(a, b Held) int {
		return cmp.Or(cmp.Compare(len(b.Machines), len(a.Machines)), cmp.Compare(a.Why, b.Why))
	})
}

// States at the end of machines that nothing holds back.
const (
	inRepair = "in repair"
	replaced = "replaced"
)

// end returns the state at the end of a machine that was sick: empty if healthy, replaced, inRepair, or what holds it back.
func (m *machine) end() string {
	switch {
	case m.gone:
		return replaced
	case m.standing() == ladder.Healthy:
		return ""
	case m.record != nil && (ladder.InFlight(m.record.obj) || m.record.obj.Status.Phase == v1alpha1.RemediationActing):
		return inRepair
	case m.check.paused != "":
		return "paused: " + m.check.paused
	case m.check.foreign:
		return "not managed by this Sickbay"
	case m.check.onlyReports != "":
		return m.check.onlyReports
	}
	return m.waitsFor()
}

// waitsFor says what holds a sick machine back.
func (m *machine) waitsFor() string {
	if why := m.check.shown.waits[m.obj.UID]; why != "" {
		return endWords(why)
	}
	if m.record == nil {
		return endWords(m.verdict().Reason)
	}
	if m.record.obj.Status.Phase == v1alpha1.RemediationHeld {
		return "a person must decide"
	}
	if reason := ladder.Progress(&m.record.obj.Status).Reason; reason != "" {
		return endWords(reason)
	}
	return inRepair
}

// ends are the words for what holds a machine back at the end, by reason.
var ends = map[string]string{
	v1alpha1.ReasonNoSlot:                "no slot is free",
	v1alpha1.ReasonGateClosed:            "the gate is closed",
	v1alpha1.ReasonOnHold:                "on hold",
	v1alpha1.ReasonPaced:                 "paced, until other repairs have proven themselves",
	v1alpha1.ReasonApprovalRequired:      "a person must approve",
	v1alpha1.ReasonBackoff:               "to be retried later",
	v1alpha1.ReasonRefused:               "to be retried later",
	v1alpha1.ReasonPaused:                "paused",
	admission.ReasonInvalidConfiguration: "the MachineHealthCheck is invalid",
	admission.ReasonKindsNotInstalled:    "Sickbay's kinds are not installed",
	admission.ReasonDeleting:             "its Cluster is being deleted",
	admission.ReasonTemplateNotFound:     "the remediation template is missing",
	admission.ReasonAwaited:              "judged by the repair of the machine that it replaces",
	verdict.ReasonNodeUnavailable:        "the Node cannot be read",
}

// endWords returns the words for a reason.
func endWords(reason string) string {
	if words, ok := ends[reason]; ok {
		return words
	}
	return reason
}

// Answer sums up a result.
func (r *Result) Answer() string {
	sum, over := &r.Summary, words.Span(r.Until.Sub(r.From))
	switch {
	case sum.Sick == 0 && r.selectsNone() != "":
		return fmt.Sprintf("Nothing would be repaired within %s: %s", over, r.selectsNone())
	case sum.Sick == 0:
		return fmt.Sprintf("Nothing would be repaired within %s: no machine falls sick", over)
	case sum.Repaired == 0:
		return fmt.Sprintf("Nothing would be repaired within %s. %s", over, sum.ends(true))
	}
	before := ""
	if sum.UnderWay > 0 {
		before = fmt.Sprintf(", besides %d whose repair has begun", sum.UnderWay)
	}
	return fmt.Sprintf("Within %s, repairs would begin on %d of %s%s, at most %d at once. %s", over, sum.Repaired, words.Count(sum.Sick, "sick machine", "sick machines"),
		before, sum.MostAtOnce, sum.ends(false))
}

// selectsNone names a changed health check, or the only one, that selects no machine; empty if there is none.
func (r *Result) selectsNone() string {
	for i := range r.Checks {
		if c := &r.Checks[i]; c.Machines == 0 && (c.Change != "" || len(r.Checks) == 1) {
			return fmt.Sprintf("MachineHealthCheck %s selects no machine of cluster %s (its selector is %s)", c.Name, c.Cluster, c.Selector)
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
		return fmt.Sprintf("%s sick; at the end %s", words.Count(s.Sick, "machine is", "machines are"), strings.Join(parts, "; "))
	}
	return "At the end: " + strings.Join(parts, "; ")
}
