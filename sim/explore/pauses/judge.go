package pauses

import (
	"maps"
	"time"

	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// Span is when a write was decided: somewhere between two times of the clock of the one who wrote.
type Span struct{ From, To time.Time }

// stepsBack is how far a clock may step back and forth between two times.
const stepsBack = 10 * time.Second

// has reports whether a stored time is one of the span. The clock may have stepped back.
func (s Span) has(stored string) bool {
	from, to := format(s.From), format(s.To)
	earliest := min(from, to, format(s.From.Add(-stepsBack)))
	return earliest <= stored && stored <= max(from, to)
}

// Judge checks a write of Sickbay's, by what it had seen and by its clock.
func (g *Ghost) Judge(earlier, now map[string]string, s Seen, clock Span) {
	before, after := stored(earlier), stored(now)
	if before.unseen() && g.by != sickbay {
		// Somebody has ended another program's pause, and now its upgrades are known.
		maps.Copy(g.overridden, setOf(s.Active))
	}
	g.follow(s)
	g.judgePause(before, after, s, clock)
	if before[resumed] != after[resumed] && (!before.has(Paused) || isPaused(after)) {
		g.Fail(rules.PutBack, "resumed-at has changed, and nothing was resumed: %v became %v", before, after)
	}
	g.forget(s)
	if !maps.Equal(before.butOurs(), after.butOurs()) {
		g.Fail(rules.PutBack, "what is not Sickbay's has changed: %v became %v", before, after)
	}
}

// judgePause checks whether Sickbay was right to pause, resume or do nothing.
func (g *Ghost) judgePause(before, after stored, s Seen, clock Span) {
	switch now := isPaused(after); {
	case g.by == person:
		if !now || before[Paused] != after[Paused] {
			g.Fail(rules.Theirs, "%v became %v", before, after)
		}
	case g.by == sickbay && now:
		g.stay(before, after, s, clock)
	case g.by == sickbay:
		g.end(before, s, clock)
		g.resume(after, clock)
	case now:
		g.begin(before, after, s, clock)
	}
}

func (g *Ghost) begin(before, after stored, s Seen, clock Span) {
	switch {
	case g.refuses(s):
		g.Fail(rules.Overrides, "paused for %v, and somebody has resumed it for %v: %v became %v", s.Active, g.overridden, before, after)
	case len(s.Active) == 0 || s.except(before):
		g.Fail(rules.NeedsUpgrade, "paused for %v, excepted %t: %v became %v", s.Active, s.except(before), before, after)
	}
	g.by, g.pausedFor, g.pausedAt, g.warnedAt = sickbay, g.records(s, setOf(s.Active), g.overridden), clock.From, time.Time{}
	g.lastPause = clock.From
	clear(g.overridden)
	g.wantOurs(after)
}

// stay: Sickbay's pause goes on, for an upgrade or, after it, for Nodes.
func (g *Ghost) stay(before, after stored, s Seen, clock Span) {
	if !before.has(since) && after.has(since) {
		g.pausedAt, g.warnedAt = clock.From, time.Time{}
	}
	blind := !before.has(handled) && len(s.Unknown) > 0
	going := g.going(s)
	g.pausedFor = g.records(s, going, g.pausedFor)
	g.wantOurs(after)
	if len(going) > 0 || blind {
		g.settling = time.Time{}
		g.judgeWarning(before, after, clock)
		return
	}
	if g.settling.IsZero() {
		g.settling = clock.From
	}
	if s.except(before) || !s.Away || clock.From.Sub(g.settling) >= s.Within+2*MaxSkew {
		g.Fail(rules.Resumes, "nothing upgrades, away %t within %s, settling since %s, now %s: %v became %v", s.Away, s.Within, g.settling, clock.From, before, after)
	}
}

// end: Sickbay's pause ends because nobody wants it, because all machines are back, or because the time is up.
func (g *Ghost) end(before stored, s Seen, clock Span) {
	if s.except(before) {
		return
	}
	if len(g.going(s)) > 0 {
		g.Fail(rules.Lasts, "resumed during %v, with %v unknown: %v", s.Active, s.Unknown, before)
	}
	if s.Away && s.Within > 0 && (g.settling.IsZero() || clock.To.Sub(g.settling) < s.Within-2*MaxSkew) {
		g.Fail(rules.Settles, "resumed at %s, settling since %s, and machines are not back: %v", clock.To, g.settling, before)
	}
}

func (g *Ghost) wantOurs(after stored) {
	want := ours
	if g.heldOver {
		want = handedOver
	}
	if got := after[Paused]; got != want {
		g.Fail(rules.PutBack, "paused with %q, want %q", got, want)
	}
}

// resume restarts the clocks now, by the clock of the manager that ends the pause. It also replaces a stored time that is later: readers ignore
// times in the future.
func (g *Ghost) resume(after stored, clock Span) {
	if !clock.has(after[resumed]) {
		g.Fail(rules.PutBack, "resumed-at is %q, want a time from %s to %s", after[resumed], clock.From, clock.To)
	}
	g.by, g.pausedFor, g.settling = "", nil, time.Time{}
}

// judgeWarning checks a warning: the pause is long, and there was no warning in the last hour. An earlier time than before is not a warning: the clock
// has stepped back.
func (g *Ghost) judgeWarning(before, after stored, clock Span) {
	if after[warned] <= before[warned] {
		return
	}
	if clock.To.Sub(g.pausedAt) < g.WarnAfter-2*MaxSkew || clock.To.Sub(g.warnedAt) < time.Hour-2*MaxSkew {
		g.Fail(rules.Warned, "warned at %s of a pause that began at %s, and last warned at %s", clock.To, g.pausedAt, g.warnedAt)
	}
	g.warnedAt = clock.From
}
