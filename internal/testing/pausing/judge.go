package pausing

import (
	"maps"
	"time"

	"pgregory.net/rapid"
)

// Judge checks how the controller changed the annotations, by what it knew.
func (g *Ghost) Judge(t *rapid.T, before, after Stored, s Seen, clock time.Time) {
	_, paused := before[KeyPaused]
	is, stays := after[KeyPaused]
	_, marked := before[KeyMarker]
	_, recorded := before[KeyHandled]
	if marked && !recorded && g.By != "us" {
		// Somebody has ended another program's pause, and now its upgrades are known.
		maps.Copy(g.overridden, setOf(s.Active))
	}
	g.follow(s)
	g.judgePause(t, before, after, s, clock)
	if before[KeyResumed] != after[KeyResumed] && (!paused || stays && is != "sickbay") {
		t.Fatalf("resumed-at has been changed without a resumption: %v became %v", before, after)
	}
	g.forget(s)
	ours := []string{KeyPaused, KeyMarker, KeyHandled, KeySince, KeyWarned, KeySettling, KeyResumed}
	if !maps.Equal(before.But(ours...), after.But(ours...)) {
		t.Fatalf("what is not ours has been changed: %v became %v", before, after)
	}
}

// judgePause checks whether the controller was right to pause, resume or do nothing.
func (g *Ghost) judgePause(t *rapid.T, before, after Stored, s Seen, clock time.Time) {
	is, stays := after[KeyPaused]
	switch pausedNow := stays && is != "sickbay"; {
	case g.By == "user":
		wantUntouched(t, before, after)
	case g.By == "us" && pausedNow:
		g.stay(t, before, after, s, clock)
	case g.By == "us":
		g.end(t, before, s, clock)
		g.resume(t, after, clock)
	case pausedNow:
		if len(s.Active) == 0 || s.except(before) || g.refuses(s) {
			t.Fatalf("paused for %v, not wanted for %v: %v became %v", s.Active, g.overridden, before, after)
		}
		g.By, g.pausedFor, g.pausedAt, g.warnedAt = "us", g.records(s, setOf(s.Active), g.overridden), clock, time.Time{}
		clear(g.overridden)
		g.wantOurs(t, after)
	}
}

func wantUntouched(t *rapid.T, before, after Stored) {
	was, paused := before[KeyPaused]
	if is, stays := after[KeyPaused]; !paused || !stays || was != is {
		t.Fatalf("the pause of a user has been touched: %v became %v", before, after)
	}
}

// stay: our pause goes on, for an upgrade or, after it, for Nodes.
func (g *Ghost) stay(t *rapid.T, before, after Stored, s Seen, clock time.Time) {
	blind := g.unknowable(before, s)
	going := g.going(s)
	g.pausedFor = g.records(s, going, g.pausedFor)
	g.wantOurs(t, after)
	if len(going) > 0 || blind {
		g.settling = time.Time{}
		return
	}
	if g.settling.IsZero() {
		g.settling = clock
	}
	if s.except(before) || !s.Away || clock.Sub(g.settling) >= s.Within+2*MaxSkew {
		t.Fatalf("nothing upgrades, away %t within %s, settling since %s, now %s: %v became %v", s.Away, s.Within, g.settling, clock, before, after)
	}
}

// unknowable: another program has paused it, for upgrades that cannot be identified now.
func (g *Ghost) unknowable(before Stored, s Seen) bool {
	_, recorded := before[KeyHandled]
	return !recorded && len(s.Unknown) > 0
}

// end: our pause ends because nobody wants it, because all machines are back, or because the time is up.
func (g *Ghost) end(t *rapid.T, before Stored, s Seen, clock time.Time) {
	if s.except(before) {
		return
	}
	if len(g.going(s)) > 0 {
		t.Fatalf("resumed during %v, with %v unknown: %v", s.Active, s.Unknown, before)
	}
	if s.Away && s.Within > 0 && (g.settling.IsZero() || clock.Sub(g.settling) < s.Within-2*MaxSkew) {
		t.Fatalf("resumed at %s, settling since %s, and Nodes are not Ready: %v", clock, g.settling, before)
	}
}

func (g *Ghost) wantOurs(t *rapid.T, after Stored) {
	want := "upgrade"
	if g.handedOver {
		want = "sickbay-upgrade"
	}
	if got := after[KeyPaused]; got != want {
		t.Fatalf("paused with %q, want %q", got, want)
	}
}

// resume restarts the clocks now, by the clock of the manager that ends the pause. It also replaces a stored time that is later: readers ignore
// times in the future.
func (g *Ghost) resume(t *rapid.T, after Stored, clock time.Time) {
	if got, want := after[KeyResumed], clock.UTC().Truncate(time.Second).Format(time.RFC3339); got != want {
		t.Fatalf("resumed-at is %q, want %s", got, want)
	}
	g.By, g.pausedFor, g.settling = "", nil, time.Time{}
}

// Warn checks a warning: the pause is long, and there was no warning in the last hour.
func (g *Ghost) Warn(t *rapid.T, p *People) {
	if p.Now.Sub(g.pausedAt) < p.WarnAfter-2*MaxSkew {
		t.Fatalf("warned of a pause at %s that began at %s", p.Now, g.pausedAt)
	}
	if p.Now.Sub(g.warnedAt) < time.Hour-2*MaxSkew {
		t.Fatalf("warned at %s and at %s", g.warnedAt, p.Now)
	}
	g.warnedAt = p.Now
}
