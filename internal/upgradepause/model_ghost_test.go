package upgradepause

import (
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// maxSkew is by how much the clocks of two controllers differ at most, either way from the true time.
const maxSkew = 2 * time.Minute

// ghost knows of one object what people want, and what the controller did, from having seen it done.
type ghost struct {
	// by is who paused it: "" is nobody, "user", or "us".
	by string
	// value is that of a user's pause. handedOver is that the object is Sickbay's when it is not paused.
	value      string
	handedOver bool
	// told are the upgrades that it has been paused for, this time; overridden those for which a user did not
	// want that.
	told, overridden map[string]bool
	pausedAt         time.Time
	warnedAt         time.Time
	// settling is since when the controller has known that all of told are over, and waits for Nodes; zero if it does not.
	settling time.Time
}

// seen is what the controller knew when it looked, by what has reached it.
type seen struct {
	// active and halted are the IDs of upgrades, unknown how those begin that nobody can tell of.
	active, halted, unknown []string
	// excepted says that the Cluster wants nothing to be paused.
	excepted bool
	// away says that Nodes are not Ready, or may not be read, and within how long they may take; zero is not at all.
	away   bool
	within time.Duration
	// follows are parts of upgrades: the ID of each, and how those begin that it is a part of.
	follows map[string]string
}

// except reports whether nothing is to be paused.
func (s seen) except(annotations stored) bool { return s.excepted || annotations[keyOption] == "false" }

func (g *ghost) copy() *ghost {
	other := *g
	other.told, other.overridden = maps.Clone(g.told), maps.Clone(g.overridden)
	return &other
}

// override: a user ends our pause, or takes it over; or ends one of their own, on which upgrades are noted that began meanwhile.
func (g *ghost) override(annotations stored) {
	g.settling = time.Time{}
	switch g.by {
	case "us":
		maps.Copy(g.overridden, g.told)
	case "user":
		for _, id := range noted(annotations) {
			g.overridden[id] = true
		}
	}
}

// follow: who does not want to be paused for an upgrade does not want it for its parts either, also if they have halted.
func (g *ghost) follow(s seen) { addParts(g.overridden, s) }

func addParts(ids map[string]bool, s seen) {
	for part, whole := range s.follows {
		for id := range ids {
			if strings.HasPrefix(id, whole) && (slices.Contains(s.active, part) || slices.Contains(s.halted, part)) {
				ids[part] = true
			}
		}
	}
}

// refuses reports whether a user does not want to be paused for an upgrade that goes on, or may. One that has halted does not count:
// it is not the next one.
func (g *ghost) refuses(s seen) bool {
	for id := range g.overridden {
		if slices.Contains(s.active, id) || ofUnknown(id, s.unknown) {
			return true
		}
	}
	return false
}

// forget the overrides of upgrades that are over for certain.
func (g *ghost) forget(s seen) {
	maps.DeleteFunc(g.overridden, func(id string, _ bool) bool {
		return !slices.Contains(s.active, id) && !slices.Contains(s.halted, id) && !ofUnknown(id, s.unknown)
	})
}

// going are the upgrades that it is to stay paused for: those that go on, and of those that it was paused for the ones that may.
func (g *ghost) going(s seen) map[string]bool {
	going := setOf(s.active)
	for id := range g.told {
		if ofUnknown(id, s.unknown) {
			going[id] = true
		}
	}
	return going
}

// tells are the upgrades that it is paused for, and those that have halted and were known, or are a part of one that is or was.
func (g *ghost) tells(s seen, going, known map[string]bool) map[string]bool {
	all := maps.Clone(known)
	if all == nil {
		all = map[string]bool{}
	}
	maps.Copy(all, going)
	addParts(all, s)
	maps.DeleteFunc(all, func(id string, _ bool) bool { return !going[id] && !slices.Contains(s.halted, id) })
	return all
}

func setOf(ids []string) map[string]bool {
	set := map[string]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// judge looks at what the controller did to the annotations, by what it knew.
func (g *ghost) judge(t *rapid.T, before, after stored, s seen, clock time.Time) {
	was, paused := before[keyPaused]
	is, stays := after[keyPaused]
	_, marked := before[keyMarker]
	_, recorded := before[keyHandled]
	if marked && !recorded && g.by != "us" {
		// Another program's pause, which somebody has ended: now it is known for which upgrades.
		maps.Copy(g.overridden, setOf(s.active))
	}
	g.follow(s)
	switch pausedNow := stays && is != "sickbay"; {
	case g.by == "user":
		if !paused || !stays || was != is {
			t.Fatalf("the pause of a user has been touched: %v became %v", before, after)
		}
	case g.by == "us" && pausedNow:
		g.stay(t, before, after, s, clock)
	case g.by == "us":
		g.end(t, before, s, clock)
		g.resume(t, before, after, clock)
	case pausedNow:
		if len(s.active) == 0 || s.except(before) || g.refuses(s) {
			t.Fatalf("paused for %v, not wanted for %v: %v became %v", s.active, g.overridden, before, after)
		}
		g.by, g.told, g.pausedAt, g.warnedAt = "us", g.tells(s, setOf(s.active), g.overridden), clock, time.Time{}
		clear(g.overridden)
		g.wantOurs(t, after)
	}
	if before[keyResumed] != after[keyResumed] && (!paused || stays && is != "sickbay") {
		t.Fatalf("resumed-at has been changed without a resumption: %v became %v", before, after)
	}
	g.forget(s)
	ours := []string{keyPaused, keyMarker, keyHandled, keySince, keyWarned, keySettling, keyResumed}
	if !maps.Equal(before.but(ours...), after.but(ours...)) {
		t.Fatalf("what is not ours has been changed: %v became %v", before, after)
	}
}

// stay: our pause goes on, for an upgrade or, when there is none, for Nodes.
func (g *ghost) stay(t *rapid.T, before, after stored, s seen, clock time.Time) {
	blind := g.unknowable(before, s)
	going := g.going(s)
	g.told = g.tells(s, going, g.told)
	g.wantOurs(t, after)
	if len(going) > 0 || blind {
		g.settling = time.Time{}
		return
	}
	if g.settling.IsZero() {
		g.settling = clock
	}
	if s.except(before) || !s.away || clock.Sub(g.settling) >= s.within+2*maxSkew {
		t.Fatalf("nothing upgrades, away %t within %s, settling since %s, now %s: %v became %v", s.away, s.within, g.settling, clock, before, after)
	}
}

// unknowable: another program has paused it, for upgrades that nobody can name now.
func (g *ghost) unknowable(before stored, s seen) bool {
	_, recorded := before[keyHandled]
	return !recorded && len(s.unknown) > 0
}

// end: our pause ends because it is not wanted, because everything is back, or because the time is up.
func (g *ghost) end(t *rapid.T, before stored, s seen, clock time.Time) {
	if s.except(before) {
		return
	}
	if len(g.going(s)) > 0 {
		t.Fatalf("resumed during %v, with %v unknown: %v", s.active, s.unknown, before)
	}
	if s.away && s.within > 0 && (g.settling.IsZero() || clock.Sub(g.settling) < s.within-2*maxSkew) {
		t.Fatalf("resumed at %s, settling since %s, and Nodes are not Ready: %v", clock, g.settling, before)
	}
}

func (g *ghost) wantOurs(t *rapid.T, after stored) {
	want := "upgrade"
	if g.handedOver {
		want = "sickbay-upgrade"
	}
	if got := after[keyPaused]; got != want {
		t.Fatalf("paused with %q, want %q", got, want)
	}
}

// resume: the clocks restart, and never earlier than they have before.
func (g *ghost) resume(t *rapid.T, before, after stored, clock time.Time) {
	want := clock.UTC().Truncate(time.Second)
	if last, err := time.Parse(time.RFC3339, before[keyResumed]); err == nil && last.After(want) {
		want = last
	}
	if got := after[keyResumed]; got != want.Format(time.RFC3339) {
		t.Fatalf("resumed-at is %q, want %s", got, want)
	}
	g.by, g.told, g.settling = "", nil, time.Time{}
}

// warn: of a pause that is long, and that nobody was warned of within the hour.
func (g *ghost) warn(t *rapid.T, m *model) {
	if m.now.Sub(g.pausedAt) < m.warnAfter-2*maxSkew {
		t.Fatalf("warned of a pause at %s that began at %s", m.now, g.pausedAt)
	}
	if m.now.Sub(g.warnedAt) < time.Hour-2*maxSkew {
		t.Fatalf("warned at %s and at %s", g.warnedAt, m.now)
	}
	g.warnedAt = m.now
}

// atRest is what has to hold once the controller has done all it could, of an object and what there is.
func (g *ghost) atRest(t *rapid.T, m *model, o *object, s seen) {
	if o.unseen() && len(s.unknown) > 0 {
		return // Another program's marks are not read as long as nobody knows what they are for.
	}
	g.follow(s)
	value, paused := o.annotations[keyPaused]
	excepted := s.except(o.annotations)
	wanted := len(s.active) > 0 && !g.refuses(s)
	if g.by == "us" {
		wanted = len(g.going(s)) > 0 || !g.settling.IsZero() && s.away
	}
	wanted = wanted && !excepted
	switch {
	case g.by == "user":
		if !paused || value != g.value {
			t.Fatalf("a user paused with %q: %s", g.value, o)
		}
	case (g.by == "us") != wanted:
		t.Fatalf("paused by %q, during %+v, excepted %t, overridden %v: %s", g.by, s, excepted, g.overridden, o)
	case g.by == "us":
		g.wantOurs(t, o.annotations)
		g.wantWarning(t, m, o)
	case paused != g.handedOver || (paused && value != "sickbay"):
		t.Fatalf("nobody pauses it, handed over %t: %s", g.handedOver, o)
	}
	for _, key := range []string{keyMarker, keySince, keyWarned, keySettling} {
		if _, ok := o.annotations[key]; ok && (g.by != "us" || key == keySettling && g.settling.IsZero()) {
			t.Fatalf("%s is left over: %s", key, o)
		}
	}
	if _, ok := o.annotations[keyMarker]; !ok && g.by == "us" {
		t.Fatalf("no marker: %s", o)
	}
	g.wantRecord(t, o, s)
}

// wantRecord: it holds nothing but upgrades that go on, or may, and all that go on while we pause.
func (g *ghost) wantRecord(t *rapid.T, o *object, s seen) {
	record, ok := o.annotations[keyHandled]
	if !ok && g.by != "us" {
		return
	}
	ids := strings.FieldsFunc(record, func(r rune) bool { return r == ',' })
	for _, id := range ids {
		if !slices.Contains(s.active, id) && !slices.Contains(s.halted, id) && !ofUnknown(id, s.unknown) {
			t.Fatalf("%q is recorded, and only %v goes on: %s", id, s.active, o)
		}
	}
	for _, id := range s.active {
		if g.by == "us" && !slices.Contains(ids, id) {
			t.Fatalf("of %v are recorded: %s", s.active, o)
		}
	}
}

func (g *ghost) wantWarning(t *rapid.T, m *model, o *object) {
	if g.pausedAt.IsZero() || !g.settling.IsZero() || m.now.Sub(g.pausedAt) < m.warnAfter+2*maxSkew {
		return
	}
	if m.now.Sub(g.warnedAt) > time.Hour+2*maxSkew {
		t.Fatalf("paused since %s, last warned of at %s, now %s: %s", g.pausedAt, g.warnedAt, m.now, o)
	}
}
