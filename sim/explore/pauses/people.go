package pauses

import (
	"maps"
	"time"
)

// Born returns what is known of a health check that is new, or whose annotations were all replaced.
func (g *Ghost) Born(annotations map[string]string) {
	a := stored(annotations)
	*g = Ghost{Fail: g.Fail, WarnAfter: g.WarnAfter, overridden: map[string]bool{}}
	switch value, paused := a[Paused]; {
	case !isPaused(a):
		g.heldOver = paused
	case a.ours():
		g.by, g.pausedFor, g.heldOver = sickbay, setOf(a.ids()), value == handedOver
		g.settling = a.time(settling) // It is over at the time that these annotations tell.
	case value == "" && a.unseen():
		g.by = sickbay
	default:
		g.by, g.value = person, value
	}
}

// MadeAgain is Born for one that Sickbay knows: it remembers when it paused it last, as a cache may not show that it was gone meanwhile.
func (g *Ghost) MadeAgain(annotations map[string]string) {
	last := g.lastPause
	g.Born(annotations)
	g.lastPause = last
}

// Meddled learns what somebody else wants from what they have written.
func (g *Ghost) Meddled(earlier, now map[string]string) {
	before, after := stored(earlier), stored(now)
	if before[warned] != after[warned] {
		// Sickbay does not know any more when it warned.
		g.warnedAt = time.Time{}
	}
	switch was, is := isPaused(before), isPaused(after); {
	case replaced(before, after):
		g.MadeAgain(now)
	case before.ours() && after.ours():
		g.heldOver = after[Paused] == handedOver
	case is && taken(before, after):
		g.override(before)
		g.by, g.value, g.heldOver = person, after[Paused], false
		if after[Paused] == "" && after.unseen() {
			// It is, or looks like, a pause by another program that follows the proposal.
			g.by, g.pausedFor = sickbay, nil
		}
	case was && !is:
		g.override(before)
		g.by, g.heldOver = "", after.has(Paused)
	case !is:
		g.heldOver = after.has(Paused)
	}
}

// replaced reports whether somebody has replaced all annotations: Sickbay's record is another one, or its pause is back, which only a backup brings.
func replaced(before, after stored) bool {
	return (!before.ours() && after.ours()) || before.has(handled) != after.has(handled) || before[handled] != after[handled]
}

// taken reports whether somebody has paused it, or taken over a pause, by its value or by its marker.
func taken(before, after stored) bool {
	return !isPaused(before) || before[Paused] != after[Paused] || (before.has(Marker) && !after.has(Marker))
}

// isPaused reports whether somebody, or Sickbay, pauses it. One that is handed over is paused by the marker alone.
func isPaused(a stored) bool { return a.has(Paused) && (a[Paused] != handedOver || a.has(Marker)) }

// override: a person ends Sickbay's pause or takes it over, or ends their own pause, on which upgrades that began meanwhile are noted.
func (g *Ghost) override(annotations stored) {
	g.settling = time.Time{}
	switch g.by {
	case sickbay:
		maps.Copy(g.overridden, g.pausedFor)
	case person:
		maps.Copy(g.overridden, setOf(annotations.ids()))
	}
}
