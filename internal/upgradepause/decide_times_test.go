package upgradepause

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHold: while it is not known whether an upgrade goes on, nothing is written, whatever is stored.
func TestHold(t *testing.T) {
	long := ours("A", one.Add(-warnAfter))
	for name, tt := range map[string]struct {
		has  stored
		want Decision
	}{
		"fresh":                   {nil, Decision{}},
		"foreign":                 {stored{keyPaused: ""}, Decision{}},
		"overridden, not noted":   {ours("A", noon).but(keyPaused), Decision{}},
		"ours":                    {ours("A", noon), Decision{Paused: true, PausedAt: noon}},
		"ours, excepted":          {ours("A", noon).and(stored{keyOption: "false"}), Decision{Paused: true, PausedAt: noon}},
		"ours, just not too long": {ours("A", one.Add(time.Second-warnAfter)), Decision{Paused: true, PausedAt: one.Add(time.Second - warnAfter)}},
		"ours, too long":          {long, Decision{Paused: true, PausedAt: one.Add(-warnAfter), Overlong: true}},
		"ours, since who knows":   {long.and(stored{keySince: "x"}), Decision{Paused: true}},
		"another program's":       {stored{keyPaused: "", keyMarker: ""}, Decision{Paused: true}},
	} {
		for going, upgrades := range map[string][]Upgrade{"": nil, ", of two signals one can be read": upgrading("A")} {
			t.Run(name+going, func(t *testing.T) {
				unreadable := Facts{Annotations: tt.has, Upgrades: upgrades, WarnAfter: warnAfter, Unreadable: "no permission"}
				want := tt.want
				want.RecheckAt = one.Add(30 * time.Second)
				if diff := cmp.Diff(want, Decide(unreadable, one)); diff != "" {
					t.Errorf("unreadable (-want +got):\n%s", diff)
				}
				starting := unreadable
				starting.Starting, starting.Unreadable = true, ""
				want.RecheckAt = one.Add(250 * time.Millisecond)
				if diff := cmp.Diff(want, Decide(starting, one)); diff != "" {
					t.Errorf("starting (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestWarnings: the first when the pause has become long, then one an hour. Each look knows only what
// is stored, and looks come when they are due, when they are not, and late.
func TestWarnings(t *testing.T) {
	f := Facts{Upgrades: upgrading("A"), WarnAfter: warnAfter}
	has := stored{}.after(Decide(f, noon))
	var warned []time.Duration
	for _, after := range []time.Duration{
		0, time.Hour, 4*time.Hour - time.Nanosecond, 4 * time.Hour, 4*time.Hour + time.Nanosecond, 4*time.Hour + 30*time.Minute,
		5*time.Hour - time.Nanosecond, 5 * time.Hour, 5*time.Hour + time.Second, // then down for a while
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
		has = has.after(d)
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

// TestBrokenTimes: what cannot be true is put right once, and no warning is lost for it for long.
func TestBrokenTimes(t *testing.T) {
	long := ours("A", noon.Add(-warnAfter))
	later := one.Add(1000 * time.Hour)
	decideRows(t, map[string]row{
		"paused-at broken: counts from now":   {has: ours("A", noon).and(stored{keySince: "x"}), upgrades: upgrading("A"), gets: ours("A", one), recheck: one.Add(warnAfter)},
		"paused-at missing: counts from now":  {has: ours("A", noon).but(keySince), upgrades: upgrading("A"), gets: ours("A", one), recheck: one.Add(warnAfter)},
		"paused-at to come: counts from now":  {has: ours("A", later), upgrades: upgrading("A"), gets: ours("A", one), recheck: one.Add(warnAfter)},
		"paused-at of another zone: the same": {has: ours("A", noon).and(stored{keySince: "2026-01-01T14:00:00+02:00"}), upgrades: upgrading("A"), gets: ours("A", noon), recheck: noon.Add(warnAfter)},
		"warned-at broken: warned of now": {
			has: long.and(stored{keyWarned: "x"}), upgrades: upgrading("A"),
			does: Warn, gets: long.and(stored{keyWarned: at(one)}), recheck: one.Add(time.Hour),
		},
		"warned-at to come: counts as now": {
			has: long.and(stored{keyWarned: at(later)}), upgrades: upgrading("A"),
			gets: long.and(stored{keyWarned: at(one)}), recheck: one.Add(time.Hour),
		},
		"warned-at broken on a short pause: removed": {
			has: ours("A", noon).and(stored{keyWarned: "x"}), upgrades: upgrading("A"), gets: ours("A", noon), recheck: noon.Add(warnAfter),
		},
		"warned, the next upgrade: the pause is as long as before": {
			has: long.and(stored{keyWarned: at(one.Add(-time.Minute))}), upgrades: upgrading("B"),
			gets:    long.and(stored{keyWarned: at(one.Add(-time.Minute)), keyHandled: "B"}),
			recheck: one.Add(59 * time.Minute),
		},
		"resumed-at broken: replaced":                {has: ours("A", noon).and(stored{keyResumed: "x"}), does: Resume, gets: resumed(one)},
		"resumed-at before: moved":                   {has: ours("A", noon).and(resumed(noon)), does: Resume, gets: resumed(one)},
		"resumed-at later: not moved back":           {has: ours("A", noon).and(resumed(later)), does: Resume, gets: resumed(later)},
		"resumed-at is changed by nothing else":      {has: resumed(noon), gets: resumed(noon)},
		"resumed-at, broken, not by a pause":         {has: stored{keyResumed: "x"}, upgrades: upgrading("A"), does: Pause, gets: ours("A", one).and(stored{keyResumed: "x"}), recheck: one.Add(warnAfter)},
		"resumed-at is not changed by a user's wish": {has: ours("A", noon).but(keyPaused).and(resumed(noon)), upgrades: upgrading("A"), does: Overridden, gets: resumed(noon).and(stored{keyHandled: "A"})},
	})
}

// TestPausedAt is what the metric and the warnings go by.
func TestPausedAt(t *testing.T) {
	now := one.Add(999 * time.Millisecond)
	for name, tt := range map[string]struct {
		has      stored
		upgrades []Upgrade
		paused   bool
		since    time.Time
	}{
		"paused, as it is stored": {nil, upgrading("A"), true, one},
		"kept":                    {ours("A", noon), upgrading("A"), true, noon},
		"kept, since who knows":   {ours("A", noon).but(keySince), upgrading("A"), true, one},
		"resumed":                 {ours("A", noon), nil, false, time.Time{}},
		"overridden":              {ours("A", noon).but(keyPaused), upgrading("A"), false, time.Time{}},
		"foreign":                 {stored{keyPaused: ""}, upgrading("A"), false, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decide(Facts{Annotations: tt.has, Upgrades: tt.upgrades, WarnAfter: warnAfter}, now)
			if d.Paused != tt.paused || !d.PausedAt.Equal(tt.since) {
				t.Errorf("paused %t since %s, want %t since %s", d.Paused, d.PausedAt, tt.paused, tt.since)
			}
		})
	}
}
