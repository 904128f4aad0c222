package pauses

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// MaxSkew is how much two clocks may differ.
const MaxSkew = 5 * time.Minute

// Ghost knows what people want of one health check, and what it has seen Sickbay do.
type Ghost struct {
	// Fail receives each rule that is broken, and how.
	Fail func(rule, format string, args ...any)
	// WarnAfter is how long a pause may last before a warning.
	WarnAfter time.Duration
	// by is who paused it: "" means nobody, otherwise "a person" or "Sickbay".
	by string
	// value is the value of a person's pause. heldOver means that it is Sickbay's while it is not paused.
	value    string
	heldOver bool
	// pausedFor are the upgrades that the current pause is for, and overridden those for which a person ended it.
	pausedFor, overridden map[string]bool
	// pausedAt is when the current pause began, as far as the annotations tell, and warnedAt when Sickbay warned of it last.
	pausedAt, warnedAt time.Time
	// lastPause is when Sickbay paused it last. The manager remembers that, whatever becomes of the annotations.
	lastPause time.Time
	// settling is when Sickbay learned that all of pausedFor are over and began to wait for Nodes; zero if it does not wait.
	settling time.Time
}

const (
	person  = "a person"
	sickbay = "Sickbay"
)

// Seen is what Sickbay knew when it looked.
type Seen struct {
	// Active and Halted are the IDs of upgrades. Unknown are the ID prefixes of upgrades that cannot be read.
	Active, Halted, Unknown []string
	// Excepted means that the Cluster excepts it from all pauses.
	Excepted bool
	// Away means that machines are not back, or cannot be read. Within is how long they may take; zero means no wait.
	Away   bool
	Within time.Duration
	// Follows maps the ID of a part of an upgrade to the ID prefix of that upgrade.
	Follows map[string]string
}

// except reports whether it is excepted from all pauses.
func (s Seen) except(annotations stored) bool { return s.Excepted || annotations[option] == "false" }

// follow: an override of an upgrade also holds for its parts, even halted ones.
func (g *Ghost) follow(s Seen) { addParts(g.overridden, s) }

func addParts(ids map[string]bool, s Seen) {
	for part, whole := range s.Follows {
		for id := range ids {
			if strings.HasPrefix(id, whole) && (slices.Contains(s.Active, part) || slices.Contains(s.Halted, part)) {
				ids[part] = true
			}
		}
	}
}

// refuses reports whether a person has overridden an upgrade that goes on, or may go on. Halted upgrades do not count: they are not
// the next one.
func (g *Ghost) refuses(s Seen) bool {
	for id := range g.overridden {
		if slices.Contains(s.Active, id) || ofUnknown(id, s.Unknown) {
			return true
		}
	}
	return false
}

// forget drops the overrides of upgrades that are certainly over.
func (g *Ghost) forget(s Seen) {
	maps.DeleteFunc(g.overridden, func(id string, _ bool) bool {
		return !slices.Contains(s.Active, id) && !slices.Contains(s.Halted, id) && !ofUnknown(id, s.Unknown)
	})
}

// going returns the upgrades that keep it paused: those that go on, and those it was paused for that may go on.
func (g *Ghost) going(s Seen) map[string]bool {
	going := setOf(s.Active)
	for id := range g.pausedFor {
		if ofUnknown(id, s.Unknown) {
			going[id] = true
		}
	}
	return going
}

// records returns the upgrades that it is paused for, and the halted ones that were known, or are part of one that is or was.
func (g *Ghost) records(s Seen, going, known map[string]bool) map[string]bool {
	all := maps.Clone(known)
	if all == nil {
		all = map[string]bool{}
	}
	maps.Copy(all, going)
	addParts(all, s)
	maps.DeleteFunc(all, func(id string, _ bool) bool { return !going[id] && !slices.Contains(s.Halted, id) })
	return all
}

func setOf(ids []string) map[string]bool {
	set := map[string]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// ofUnknown reports whether the signal of an upgrade cannot be read.
func ofUnknown(id string, unknown []string) bool {
	return slices.ContainsFunc(unknown, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}
