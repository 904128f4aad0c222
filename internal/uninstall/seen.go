package uninstall

import (
	"strings"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// Leader is a manager that leads, and what it handles.
type Leader struct {
	Name  string
	Scope scope.Scope
}

// Seen is the result of looking at everything.
type Seen struct {
	// Items are the objects with something of Sickbay's, or something that people wrote for Sickbay.
	Items []Item
	// Leaders are the managers that lead.
	Leaders []Leader
	// LeadersUnread reports that it is not known whether a manager leads.
	LeadersUnread bool
	// Unread says what could not be read, and why.
	Unread []string
}

// Left returns the objects with something of Sickbay's.
func (s Seen) Left() (left []Item) {
	for _, item := range s.Items {
		if len(item.Ours) > 0 {
			left = append(left, item)
		}
	}
	return left
}

const howToDrain = "Give it the flag --drain: with the chart, helm upgrade sickbay charts/sickbay --namespace sickbay-system --reset-then-reuse-values --set drain=true"

// Waits says what must happen before Sickbay is gone from the objects; empty if nothing is left, and nobody writes it again.
func (s Seen) Waits() string {
	var draining []string
	for _, one := range s.Leaders {
		if !one.Scope.Drain {
			return one.Name + " leads, and does not drain, so it would write everything again. " + howToDrain
		}
		draining = append(draining, one.Name)
	}
	left := s.Left()
	switch {
	case len(left) == 0:
		return ""
	case s.LeadersUnread:
		return "You may not read leases, so it is unknown whether a manager takes this back"
	case len(draining) == 0:
		return "No manager leads, so nobody takes this back. Start one with --drain and --leader-elect: scale its Deployment up again, or run sickbay manager on your computer"
	}
	for _, item := range left {
		if missing := s.missing(item); missing != "" {
			return missing
		}
	}
	return "Waiting for " + strings.Join(draining, " and ") + " to take back what is left on " + humanize.Count(len(left), "object", "objects")
}
