package pausing

import (
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
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
		g.resume(t, before, after, clock)
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

// resume: the clocks restart, and never earlier than before.
func (g *Ghost) resume(t *rapid.T, before, after Stored, clock time.Time) {
	want := clock.UTC().Truncate(time.Second)
	if last, err := time.Parse(time.RFC3339, before[KeyResumed]); err == nil && last.After(want) {
		want = last
	}
	if got := after[KeyResumed]; got != want.Format(time.RFC3339) {
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

// AtRest checks what must hold once the controller has nothing left to do.
func (g *Ghost) AtRest(t *rapid.T, p *People, o *Object, s Seen) {
	if o.unseen() && len(s.Unknown) > 0 {
		return // Nobody knows yet what another program's marks are for.
	}
	g.follow(s)
	g.wantPause(t, p, o, s)
	g.wantMarks(t, o)
	g.wantRecord(t, o, s)
}

// wanted reports whether the controller should pause an object.
func (g *Ghost) wanted(o *Object, s Seen) bool {
	switch {
	case s.except(o.Annotations):
		return false
	case g.By == "us":
		return len(g.going(s)) > 0 || !g.settling.IsZero() && s.Away
	}
	return len(s.Active) > 0 && !g.refuses(s)
}

// wantPause fails if a pause is missing, has no reason, or has another value than its author set.
func (g *Ghost) wantPause(t *rapid.T, p *People, o *Object, s Seen) {
	value, paused := o.Annotations[KeyPaused]
	switch {
	case g.By == "user":
		if !paused || value != g.value {
			t.Fatalf("a user paused with %q: %s", g.value, o)
		}
	case (g.By == "us") != g.wanted(o, s):
		t.Fatalf("paused by %q, during %+v, excepted %t, overridden %v: %s", g.By, s, s.except(o.Annotations), g.overridden, o)
	case g.By == "us":
		g.wantOurs(t, o.Annotations)
		g.wantWarning(t, p, o)
	case paused != g.handedOver || (paused && value != "sickbay"):
		t.Fatalf("nobody pauses it, handed over %t: %s", g.handedOver, o)
	}
}

// wantMarks: our marks exist while we pause, and not after that.
func (g *Ghost) wantMarks(t *rapid.T, o *Object) {
	for _, key := range []string{KeyMarker, KeySince, KeyWarned, KeySettling} {
		if _, ok := o.Annotations[key]; ok && (g.By != "us" || key == KeySettling && g.settling.IsZero()) {
			t.Fatalf("%s is left over: %s", key, o)
		}
	}
	if _, ok := o.Annotations[KeyMarker]; !ok && g.By == "us" {
		t.Fatalf("no marker: %s", o)
	}
}

// idsIn returns the upgrades in the record.
func idsIn(annotations Stored) []string {
	return strings.FieldsFunc(annotations[KeyHandled], func(r rune) bool { return r == ',' })
}

// wantRecord: it contains only upgrades that go on or may go on, and all that go on while we pause.
func (g *Ghost) wantRecord(t *rapid.T, o *Object, s Seen) {
	_, ok := o.Annotations[KeyHandled]
	if !ok && g.By != "us" {
		return
	}
	ids := idsIn(o.Annotations)
	for _, id := range ids {
		if !slices.Contains(s.Active, id) && !slices.Contains(s.Halted, id) && !ofUnknown(id, s.Unknown) {
			t.Fatalf("%q is recorded, and only %v goes on: %s", id, s.Active, o)
		}
	}
	for _, id := range s.Active {
		if g.By == "us" && !slices.Contains(ids, id) {
			t.Fatalf("of %v are recorded: %s", s.Active, o)
		}
	}
}

func (g *Ghost) wantWarning(t *rapid.T, p *People, o *Object) {
	if g.pausedAt.IsZero() || !g.settling.IsZero() || p.Now.Sub(g.pausedAt) < p.WarnAfter+2*MaxSkew {
		return
	}
	if p.Now.Sub(g.warnedAt) > time.Hour+2*MaxSkew {
		t.Fatalf("paused since %s, last warned of at %s, now %s: %s", g.pausedAt, g.warnedAt, p.Now, o)
	}
}

// ofUnknown reports whether the signal of an upgrade cannot be read.
func ofUnknown(id string, unknown []string) bool {
	return slices.ContainsFunc(unknown, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}
