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
}

func (g *ghost) copy() *ghost {
	other := *g
	other.told, other.overridden = maps.Clone(g.told), maps.Clone(g.overridden)
	return &other
}

// override: a user ends our pause, or takes it over; or ends one of their own, on which upgrades are noted that began meanwhile.
func (g *ghost) override(annotations stored) {
	switch g.by {
	case "us":
		maps.Copy(g.overridden, g.told)
	case "user":
		for id := range strings.SplitSeq(annotations[keyHandled], ",") {
			g.overridden[id] = true
		}
	}
}

// refuses reports whether a user does not want to be paused for an upgrade that goes on, or may.
func (g *ghost) refuses(active, unknown []string) bool {
	for id := range g.overridden {
		if slices.Contains(active, id) || ofUnknown(id, unknown) {
			return true
		}
	}
	return false
}

// forget the overrides of upgrades that are over for certain.
func (g *ghost) forget(active, unknown []string) {
	maps.DeleteFunc(g.overridden, func(id string, _ bool) bool { return !slices.Contains(active, id) && !ofUnknown(id, unknown) })
}

// going are the upgrades that it is to stay paused for: those that go on, and of those that it was paused for the ones that may.
func (g *ghost) going(active, unknown []string) map[string]bool {
	going := setOf(active)
	for id := range g.told {
		if ofUnknown(id, unknown) {
			going[id] = true
		}
	}
	return going
}

func setOf(ids []string) map[string]bool {
	set := map[string]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// judge looks at what the controller did to the annotations while, as it knew, upgrades were active, and of others it knew nothing.
func (g *ghost) judge(t *rapid.T, before, after stored, active, unknown []string, clock time.Time) {
	was, paused := before[keyPaused]
	is, stays := after[keyPaused]
	_, marked := before[keyMarker]
	_, recorded := before[keyHandled]
	if marked && !recorded && g.by != "us" {
		// Another program's pause, which somebody has ended: now it is known for which upgrades.
		maps.Copy(g.overridden, setOf(active))
	}
	switch pausedNow := stays && is != "sickbay"; {
	case g.by == "user":
		if !paused || !stays || was != is {
			t.Fatalf("the pause of a user has been touched: %v became %v", before, after)
		}
	case g.by == "us" && pausedNow:
		g.told = g.going(active, unknown)
		g.wantOurs(t, after)
	case g.by == "us":
		if len(g.going(active, unknown)) > 0 && before[keyOption] != "false" {
			t.Fatalf("resumed during %v, with %v unknown: %v became %v", active, unknown, before, after)
		}
		g.resume(t, before, after, clock)
	case pausedNow:
		if len(active) == 0 || before[keyOption] == "false" || g.refuses(active, unknown) {
			t.Fatalf("paused for %v, not wanted for %v: %v became %v", active, g.overridden, before, after)
		}
		g.by, g.told, g.pausedAt, g.warnedAt = "us", setOf(active), clock, time.Time{}
		g.wantOurs(t, after)
	}
	if before[keyResumed] != after[keyResumed] && (!paused || stays && is != "sickbay") {
		t.Fatalf("resumed-at has been changed without a resumption: %v became %v", before, after)
	}
	g.forget(active, unknown)
	ours := []string{keyPaused, keyMarker, keyHandled, keySince, keyWarned, keyResumed}
	if !maps.Equal(before.but(ours...), after.but(ours...)) {
		t.Fatalf("what is not ours has been changed: %v became %v", before, after)
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
	g.by, g.told = "", nil
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

// atRest is what has to hold once the controller has done all it could, of an object and the upgrades
// that there are.
func (g *ghost) atRest(t *rapid.T, m *model, o *object, active, unknown []string) {
	if o.unseen() && len(unknown) > 0 {
		return // Another program's marks are not read as long as nobody knows what they are for.
	}
	value, paused := o.annotations[keyPaused]
	excepted := o.annotations[keyOption] == "false"
	wanted := len(active) > 0 && !g.refuses(active, unknown)
	if g.by == "us" {
		wanted = len(g.going(active, unknown)) > 0
	}
	wanted = wanted && !excepted
	switch {
	case g.by == "user":
		if !paused || value != g.value {
			t.Fatalf("a user paused with %q: %s", g.value, o)
		}
	case (g.by == "us") != wanted:
		t.Fatalf("paused by %q, during %v, excepted %t, overridden %v: %s", g.by, active, excepted, g.overridden, o)
	case g.by == "us":
		g.wantOurs(t, o.annotations)
		g.wantWarning(t, m, o)
	case paused != g.handedOver || (paused && value != "sickbay"):
		t.Fatalf("nobody pauses it, handed over %t: %s", g.handedOver, o)
	}
	for _, key := range []string{keyMarker, keySince, keyWarned} {
		if _, ok := o.annotations[key]; ok && g.by != "us" {
			t.Fatalf("%s is left over: %s", key, o)
		}
	}
	if _, ok := o.annotations[keyMarker]; !ok && g.by == "us" {
		t.Fatalf("no marker: %s", o)
	}
	g.wantRecord(t, o, active, unknown)
}

// wantRecord: it holds nothing but upgrades that go on, or may, and all that go on while we pause.
func (g *ghost) wantRecord(t *rapid.T, o *object, active, unknown []string) {
	record, ok := o.annotations[keyHandled]
	if !ok && g.by != "us" {
		return
	}
	ids := strings.Split(record, ",")
	for _, id := range ids {
		if !slices.Contains(active, id) && !ofUnknown(id, unknown) {
			t.Fatalf("%q is recorded, and only %v goes on: %s", id, active, o)
		}
	}
	for _, id := range active {
		if g.by == "us" && !slices.Contains(ids, id) {
			t.Fatalf("of %v are recorded: %s", active, o)
		}
	}
}

func (g *ghost) wantWarning(t *rapid.T, m *model, o *object) {
	if g.pausedAt.IsZero() || m.now.Sub(g.pausedAt) < m.warnAfter+2*maxSkew {
		return
	}
	if m.now.Sub(g.warnedAt) > time.Hour+2*maxSkew {
		t.Fatalf("paused since %s, last warned of at %s, now %s: %s", g.pausedAt, g.warnedAt, m.now, o)
	}
}
