package pause

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestUnreadableSignalDelaysOnlyItsOwnEnd: a signal that cannot be read, whose upgrades begin with A, delays only the end of those.
func TestUnreadableSignalDelaysOnlyItsOwnEnd(t *testing.T) {
	long := ours("A1", one.Add(-warnAfter))
	theirs := stored{keyPaused: "", keyMarker: ""}
	for name, r := range map[string]row{
		"fresh":                              {},
		"fresh, another upgrade goes on":     {upgrades: upgrading("B"), does: Begin, gets: ours("B", one)},
		"foreign":                            {has: stored{keyPaused: ""}, gets: stored{keyPaused: ""}},
		"overridden, not noted":              {has: ours("A1", noon).But(keyPaused), does: Overridden, gets: stored{keyHandled: "A1"}},
		"overridden":                         {has: stored{keyHandled: "A1"}, gets: stored{keyHandled: "A1"}},
		"overridden, another begins":         {has: stored{keyHandled: "A1"}, upgrades: upgrading("B"), gets: stored{keyHandled: "A1"}},
		"overridden, of both":                {has: stored{keyHandled: "A1,B"}, upgrades: upgrading("B"), gets: stored{keyHandled: "A1,B"}},
		"overridden for one that is over":    {has: stored{keyHandled: "B"}, gets: stored{}},
		"ours":                               {has: ours("A1", noon), gets: ours("A1", noon)},
		"ours, another begins":               {has: ours("A1", noon), upgrades: upgrading("B"), gets: ours("A1,B", noon)},
		"ours, the other one ends":           {has: ours("A1,B", noon), gets: ours("A1", noon)},
		"ours, for one that is over":         {has: ours("B", noon), does: End, gets: resumed(one)},
		"ours, excepted":                     {has: ours("A1", noon).And(stored{keyOption: "false"}), does: End, gets: resumed(one).And(stored{keyOption: "false"})},
		"ours, too long":                     {has: long, does: Warn, gets: long.And(stored{keyWarned: at(one)})},
		"ours, too long, warned of":          {has: long.And(stored{keyWarned: at(noon)}), does: Warn, gets: long.And(stored{keyWarned: at(one)})},
		"another program's":                  {has: theirs, gets: theirs},
		"another program's, another goes on": {has: theirs, upgrades: upgrading("B"), gets: theirs},
		"another program's, excepted":        {has: theirs.And(stored{keyOption: "false"}), does: End, gets: resumed(one).And(stored{keyOption: "false"})},
		"another program's, unpaused":        {has: stored{keyMarker: ""}, gets: stored{keyMarker: ""}},
	} {
		for why, wait := range map[string]time.Duration{"no permission": 30 * time.Second, "": 250 * time.Millisecond} {
			r.unknown, r.recheck = []Unknown{{IDs: "A", Why: why}}, one.Add(wait)
			decideRows(t, map[string]row{name + " " + why: r})
		}
	}
}

// TestWarningsComeOnceAnHour: the first warning comes when the pause has become long, then one an hour. Each look knows only
// what is stored. Looks come on time, too early, and late.
func TestWarningsComeOnceAnHour(t *testing.T) {
	f := Facts{Upgrades: upgrading("A"), WarnAfter: warnAfter}
	has := stored{}.After(Decide(f, noon).Changes)
	var warned []time.Duration
	for _, after := range []time.Duration{
		0, time.Hour, 4*time.Hour - time.Nanosecond, 4 * time.Hour, 4*time.Hour + time.Nanosecond, 4*time.Hour + 30*time.Minute,
		5*time.Hour - time.Nanosecond, 5 * time.Hour, 5*time.Hour + time.Second, // then Sickbay is down for a while
		7*time.Hour + 30*time.Minute, 8 * time.Hour, 8*time.Hour + 30*time.Minute,
	} {
		f.Annotations = has
		d := Decide(f, noon.Add(after))
		if overlong := after >= warnAfter; d.Overlong != overlong {
			t.Errorf("after %s overlong is %t", after, d.Overlong)
		}
		if !d.RecheckAt.After(noon.Add(after)) {
			t.Errorf("after %s the next look is at %s, which is past", after, d.RecheckAt)
		}
		has = has.After(d.Changes)
		if d.Transition == Warn {
			warned = append(warned, after)
			continue
		}
		if len(d.Changes) > 0 {
			t.Errorf("after %s written without a warning: %v", after, d.Changes)
		}
	}
	want := []time.Duration{4 * time.Hour, 5 * time.Hour, 7*time.Hour + 30*time.Minute, 8*time.Hour + 30*time.Minute}
	if diff := cmp.Diff(want, warned); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
