package pauses

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// betweenPauses is how long Sickbay waits before it writes a pause again that somebody has removed without a trace.
const betweenPauses = time.Minute

// AtRest checks what must hold once Sickbay has nothing left to do at this time.
func (g *Ghost) AtRest(annotations map[string]string, s Seen, now time.Time) {
	a := stored(annotations)
	if a.unseen() && len(s.Unknown) > 0 {
		return // Nobody knows yet what another program's marks are for.
	}
	g.follow(s)
	g.wantPause(a, s, now)
	g.wantMarks(a)
	g.wantRecord(a, s)
}

// wanted reports whether Sickbay should pause it.
func (g *Ghost) wanted(a stored, s Seen, now time.Time) bool {
	switch {
	case s.except(a):
		return false
	case g.by == sickbay:
		return len(g.going(s)) > 0 || (!g.settling.IsZero() && s.Away && now.Sub(g.settling) < s.Within+2*MaxSkew)
	}
	return len(s.Active) > 0 && !g.refuses(s)
}

// wantPause fails if a pause is missing, has no reason, or has another value than its author set.
func (g *Ghost) wantPause(a stored, s Seen, now time.Time) {
	value, is := a[Paused]
	switch {
	case g.by == person:
		if !is || value != g.value {
			g.Fail(rules.Theirs, "a person has paused with %q: %v", g.value, a)
		}
	case g.by == sickbay && !g.wanted(a, s, now):
		g.Fail(rules.Resumes, "paused during %+v, excepted %t: %v", s, s.except(a), a)
	case g.by == sickbay:
		g.wantOurs(a)
		g.wantWarning(a, now)
	case is != g.heldOver || (is && value != handedOver):
		g.Fail(rules.PutBack, "nobody pauses it, handed over %t: %v", g.heldOver, a)
	case g.wanted(a, s, now) && now.Sub(g.lastPause).Abs() > betweenPauses+MaxSkew:
		g.Fail(rules.AtOnce, "not paused during %+v, resumed for %v: %v", s, g.overridden, a)
	}
}

// wantMarks: Sickbay's marks exist while it pauses, and not after that.
func (g *Ghost) wantMarks(a stored) {
	for _, key := range []string{Marker, since, warned, settling} {
		if a.has(key) && (g.by != sickbay || key == settling && g.settling.IsZero()) {
			g.Fail(rules.PutBack, "%s is left over: %v", key, a)
		}
	}
	if g.by == sickbay && !a.has(Marker) {
		g.Fail(rules.PutBack, "no marker: %v", a)
	}
}

// wantRecord: it contains only upgrades that go on or may go on, and all that go on while Sickbay pauses.
func (g *Ghost) wantRecord(a stored, s Seen) {
	if !a.has(handled) && g.by != sickbay {
		return
	}
	for _, id := range a.ids() {
		if !slices.Contains(s.Active, id) && !slices.Contains(s.Halted, id) && !ofUnknown(id, s.Unknown) {
			g.Fail(rules.Noted, "%q is noted, and only %v goes on: %v", id, s.Active, a)
		}
	}
	for _, id := range s.Active {
		if g.by == sickbay && !slices.Contains(a.ids(), id) {
			g.Fail(rules.Noted, "%q goes on, and is not noted: %v", id, a)
		}
	}
}

func (g *Ghost) wantWarning(a stored, now time.Time) {
	if g.pausedAt.IsZero() || !g.settling.IsZero() || now.Sub(g.pausedAt) < g.WarnAfter+2*MaxSkew {
		return
	}
	if now.Sub(g.warnedAt) > time.Hour+2*MaxSkew {
		g.Fail(rules.Warned, "paused since %s, last warned of at %s, now %s: %v", g.pausedAt, g.warnedAt, now, a)
	}
}
