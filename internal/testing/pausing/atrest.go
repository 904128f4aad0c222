package pausing

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

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
