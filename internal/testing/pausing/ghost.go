package pausing

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// MaxSkew is how much the clocks of two controllers may differ, each way from the true time.
const MaxSkew = 2 * time.Minute

// Ghost knows what people want of one object, and what it has seen the controller do.
type Ghost struct {
	// By is who paused it: "" means nobody, otherwise "user" or "us".
	By string
	// value is the value of a user's pause. handedOver means that the object is Sickbay's while it is not paused.
	value      string
	handedOver bool
	// pausedFor are the upgrades that the current pause is for; overridden are those for which a user ended it.
	pausedFor, overridden map[string]bool
	pausedAt              time.Time
	warnedAt              time.Time
	// settling is when the controller learned that all of pausedFor are over and began to wait for Nodes; zero if it does not.
	settling time.Time
}

// Seen is what the controller knew when it looked.
type Seen struct {
	// Active and Halted are IDs of upgrades. Unknown are the ID prefixes of upgrades that cannot be read.
	Active, Halted, Unknown []string
	// Excepted means that the Cluster excepts the object from all pauses.
	Excepted bool
	// Away means that Nodes are not Ready, or cannot be read. Within is how long they may take; zero means no wait.
	Away   bool
	Within time.Duration
	// Follows maps the ID of a part of an upgrade to the ID prefix of that upgrade.
	Follows map[string]string
}

// except reports whether the object is excepted from all pauses.
func (s Seen) except(annotations Stored) bool { return s.Excepted || annotations[KeyOption] == "false" }

func (g *Ghost) copy() *Ghost {
	other := *g
	other.pausedFor, other.overridden = maps.Clone(g.pausedFor), maps.Clone(g.overridden)
	return &other
}

// override: a user ends our pause or takes it over, or ends their own pause, on which upgrades that began meanwhile are noted.
func (g *Ghost) override(annotations Stored) {
	g.settling = time.Time{}
	switch g.By {
	case "us":
		maps.Copy(g.overridden, g.pausedFor)
	case "user":
		for _, id := range idsIn(annotations) {
			g.overridden[id] = true
		}
	}
}

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

// refuses reports whether a user has overridden an upgrade that goes on, or may go on. Halted upgrades do not count: they are not
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
