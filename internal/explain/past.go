package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// history sums up the ended repairs of a machine and of its host.
func (m *Machine) history(now time.Time) string {
	if len(m.Past) == 0 {
		return ""
	}
	var parts []string
	for _, r := range m.Past[:min(len(m.Past), 3)] {
		parts = append(parts, fmt.Sprintf("%s %s", Clock(r.Record.Status.CompletionTime.Time, now), r.outcome()))
	}
	text := Count(len(m.Past), "repair") + " earlier: " + strings.Join(parts, "; ")
	if len(m.Past) > 3 {
		text += "; and earlier ones"
	}
	return text
}

// outcome says how a repair ended, and after which step.
func (r *Record) outcome() string {
	reason := cmp.Or(ladder.Success(&r.Record.Status).Reason, "Ended")
	attempts := r.Record.Status.Attempts
	if len(attempts) == 0 {
		return reason
	}
	return reason + " after " + attempts[len(attempts)-1].Step
}

// upcomingOf returns what happens to a machine by itself, including its admission.
func (m *Machine) upcomingOf(f *Facts) []Upcoming {
	next := m.Next(f.Now)
	if m.Check != nil {
		for _, one := range m.Check.Next(f.Now) {
			if one.Name == m.Machine.Name {
				next = append(next, one)
			}
		}
	}
	sortByTime(next)
	return next
}

// tellNext adds what happens next, and which manager does it.
func (f *Facts) tellNext(p *Page) {
	var parts []string
	said := map[string]bool{}
	for _, one := range p.Next {
		// The hold on a Cluster ends for several MachineHealthChecks, which is the same line on the page of the Cluster.
		part := f.when(one.At) + happens(one, p)
		if !said[part] {
			parts = append(parts, part)
		}
		said[part] = true
	}
	if left := len(parts) - maxNames; left > 0 {
		parts = append(parts[:maxNames], fmt.Sprintf("and %d more", left))
	}
	if len(parts) == 0 {
		parts = []string{"nothing is scheduled"}
	}
	p.row("Next", humanize.Upper(strings.Join(parts, "; ")))
	p.row("Manager", f.managerWords())
}

// when formats a time: "now" if it has come.
func (f *Facts) when(at time.Time) string {
	if !at.After(f.Now) {
		return "now: "
	}
	return Clock(at, f.Now) + ": "
}

// happens says what happens to what: it names the machine or MachineHealthCheck, except on its own page.
func happens(one Upcoming, p *Page) string {
	switch {
	case one.What == clusterHoldEnds && p.Kind == "Cluster":
		return holdEnds
	case one.Name == p.Name:
		return one.What
	case strings.HasPrefix(one.What, "is "), strings.HasPrefix(one.What, "goes "):
		return one.Name + " " + one.What
	}
	return one.Name + ": " + one.What
}

// managerWords says which manager leads, and whether its flags are known.
func (f *Facts) managerWords() string {
	words := f.leaderWords()
	if f.Assumed {
		words += "; --adopt=all is assumed"
	}
	return words
}

func (f *Facts) leaderWords() string {
	switch {
	case f.Manager.Unknown != "":
		return "Unknown, since " + f.Manager.Unknown
	case f.Manager.Name == "":
		return "NONE LEADS: nothing happens until one does"
	}
	return cmp.Or(f.Manager.Leads, f.Manager.Name+" leads")
}
