package pause

import (
	"fmt"
	"strings"
	"time"
)

// Message returns the message about a decision and its reason; empty if there is nothing to say.
func Message(f Facts, d Decision, now time.Time) string {
	upgrades := f.texts()
	switch d.Transition {
	case Begin:
		return "Paused: " + upgrades + misspelt(f.Annotations)
	case End:
		return "Resumed: " + f.whyEnded()
	case Settling:
		return fmt.Sprintf("The upgrade %s. Stays paused until all Nodes are Ready, for at most %s; %s", f.outcome(), f.Settle.Within, f.Settle.waits())
	case Overridden:
		if holderOf(f.Annotations) == somebody {
			return "Somebody else has taken over the pause, so Sickbay will not end it: " + upgrades
		}
		return "Unpaused by somebody, and not paused again until this is over: " + upgrades
	case Warn:
		return fmt.Sprintf("Paused for %s, and nothing is repaired meanwhile: %s", now.Sub(d.PausedAt).Truncate(time.Minute), upgrades)
	default:
		return ""
	}
}

// whyEnded says why the pause ended, and from when timeouts count.
func (f Facts) whyEnded() string {
	why := "the upgrade " + f.outcome()
	switch {
	case len(f.going()) > 0:
		why = "excepted by " + OptionAnnotation
		if f.Excepted {
			why += " of its Cluster"
		}
	case !f.excepted():
		why += f.Settle.ending()
	}
	if f.Restarts && f.Settle.Within <= 0 {
		// Other controllers do not restart their timeouts.
		why += "; Sickbay's timeouts count from now"
	}
	return why
}

// outcome says how the upgrades ended.
func (f Facts) outcome() string {
	if len(f.notOver(noted(f.Annotations))) > 0 {
		return "has halted"
	}
	return "is over"
}

// texts says which upgrades go on, and which noted ones may go on.
func (f Facts) texts() string {
	var parts []string
	for _, u := range f.Upgrades {
		if !u.Halted {
			parts = append(parts, strings.TrimSuffix(u.Text+"; "+u.Stuck, "; "))
		}
	}
	for _, u := range f.Unknown {
		if u.Why != "" && u.concerns(noted(f.Annotations)...) {
			parts = append(parts, "Sickbay cannot tell whether an upgrade is over: "+u.Why)
		}
	}
	return strings.Join(parts, "; ")
}

// misspelt returns a remark if the value of the option is invalid.
func misspelt(annotations map[string]string) string {
	value, ok := annotations[OptionAnnotation]
	if !ok || value == "true" || value == "false" {
		return ""
	}
	return fmt.Sprintf("; annotation %s is %q and has no effect: it must be %q or %q", OptionAnnotation, value, "true", "false")
}
