package pause

import (
	"testing"
	"time"
)

// TestProposalRules has at least one row for each rule of OpenShift's proposal.
func TestProposalRules(t *testing.T) {
	decideRows(t, map[string]row{
		"1 upgrade begins: what is not paused is paused and marked": {
			has: stored{"owner": "me"}, upgrades: upgrading("A"),
			does: Begin, gets: ours("A", one).And(stored{"owner": "me"}), recheck: one.Add(warnAfter),
		},
		"2 paused by somebody: that is left alone, and the upgrade is noted": {
			has: stored{keyPaused: ""}, upgrades: upgrading("A"), gets: stored{keyPaused: "", keyHandled: "A"},
		},
		"2 paused by somebody: stays paused when it is over": {
			has: stored{keyPaused: ""}, gets: stored{keyPaused: ""},
		},
		"3 created during the upgrade: paused too": {
			upgrades: upgrading("A"), does: Begin, gets: ours("A", one), recheck: one.Add(warnAfter),
		},
		"4 somebody unpauses: not paused again": {
			has: ours("A", noon).But(keyPaused), upgrades: upgrading("A"),
			does: Overridden, gets: stored{keyHandled: "A"},
		},
		"5 the upgrade is over: all of it goes": {
			has:  ours("A", noon).And(stored{keyWarned: at(noon), "owner": "me"}),
			does: End, gets: resumed(one).And(stored{"owner": "me"}),
		},
		"6 there is a knob after all: excepted": {
			has: stored{keyOption: "false"}, upgrades: upgrading("A"), gets: stored{keyOption: "false"},
		},
		"6 there is a knob after all: not excepted": {
			has: stored{keyOption: "true"}, upgrades: upgrading("A"),
			does: Begin, gets: ours("A", one).And(stored{keyOption: "true"}), recheck: one.Add(warnAfter),
		},
		"7 beside another program that does the same: its pause is ours to end": {
			has:  stored{keyPaused: "", keyMarker: ""},
			does: End, gets: resumed(one),
		},
		// Documented limits: the outcome is defined.
		"8 a host does not come back: paused until the upgrade is over": {
			has: ours("A", noon), upgrades: upgrading("A"), gets: ours("A", noon), recheck: noon.Add(warnAfter),
		},
		"8 a host does not come back: or until somebody unpauses": {
			has: stored{keyHandled: "A"}, upgrades: upgrading("A"), gets: stored{keyHandled: "A"},
		},
		"9 a remediation is in flight: it is paused all the same, and nothing else is written": {
			has: stored{"remediation": "in flight"}, upgrades: upgrading("A"),
			does: Begin, gets: ours("A", one).And(stored{"remediation": "in flight"}), recheck: one.Add(warnAfter),
		},
		"10 Nodes are not tracked: all is resumed at once": {
			has: ours("A", noon), does: End, gets: resumed(one),
		},
	})
}

// TestCornerCases has at least one row for each case that the proposal does not cover.
func TestCornerCases(t *testing.T) {
	kept, never := ours("A", noon), time.Time{}
	overridden := stored{keyHandled: "A"}
	decideRows(t, map[string]row{
		"fresh": {upgrades: upgrading("A"), does: Begin, gets: ours("A", one), recheck: one.Add(warnAfter)},
		"fresh, resumed after the last upgrade": {
			has: resumed(noon), upgrades: upgrading("B"), does: Begin, gets: ours("B", one).And(resumed(noon)), recheck: one.Add(warnAfter),
		},
		"fresh, no upgrade":                {gets: stored{}, recheck: never},
		"ours":                             {has: kept, upgrades: upgrading("A"), gets: kept, recheck: noon.Add(warnAfter)},
		"ours, at the end":                 {has: kept, does: End, gets: resumed(one)},
		"foreign":                          {has: stored{keyPaused: "true"}, upgrades: upgrading("A"), gets: stored{keyPaused: "true", keyHandled: "A"}},
		"foreign, at the end":              {has: stored{keyPaused: "true"}, gets: stored{keyPaused: "true"}},
		"foreign, then unpaused: as fresh": {upgrades: upgrading("A"), does: Begin, gets: ours("A", one), recheck: one.Add(warnAfter)},

		"user override, marker left":      {has: kept.But(keyPaused), upgrades: upgrading("A"), does: Overridden, gets: overridden},
		"user override, marker removed":   {has: kept.But(keyPaused, keyMarker), upgrades: upgrading("A"), does: Overridden, gets: overridden},
		"user override, noted":            {has: overridden, upgrades: upgrading("A"), gets: overridden},
		"user override, at the end":       {has: overridden, gets: stored{}},
		"user override, seen at the end":  {has: kept.But(keyPaused), gets: stored{}},
		"user override, the next upgrade": {has: overridden, upgrades: upgrading("B"), does: Begin, gets: ours("B", one), recheck: one.Add(warnAfter)},
		"user override, another program's": {
			has: stored{keyMarker: ""}, upgrades: upgrading("A"), does: Overridden, gets: overridden,
		},
		"user override, another program's, at the end": {has: stored{keyMarker: ""}, gets: stored{}},
		"user override of everything that is ours: as fresh, a limit": {
			upgrades: upgrading("A"), does: Begin, gets: ours("A", one), recheck: one.Add(warnAfter),
		},

		"user re-pauses after override": {
			has: overridden.And(stored{keyPaused: ""}), upgrades: upgrading("A"), gets: overridden.And(stored{keyPaused: ""}),
		},
		"user re-pauses after override that was not noted": {
			has: kept.And(stored{keyPaused: ""}), upgrades: upgrading("A"), does: Overridden, gets: overridden.And(stored{keyPaused: ""}),
		},
		"user re-pauses after override, at the end": {has: overridden.And(stored{keyPaused: ""}), gets: stored{keyPaused: ""}},
		"user re-pauses after override that was not noted, at the end": {
			has: kept.And(stored{keyPaused: ""}), gets: stored{keyPaused: ""},
		},
		"user re-pauses after override and unpauses again": {has: overridden, upgrades: upgrading("A"), gets: overridden},

		"user wants our pause to stay: removes the marker": {
			has: kept.But(keyMarker), upgrades: upgrading("A"), does: Overridden, gets: overridden.And(stored{keyPaused: "upgrade"}),
		},
		"user wants our pause to stay, at the end": {
			has: overridden.And(stored{keyPaused: "upgrade"}), gets: stored{keyPaused: "upgrade"},
		},
		"user wants our pause to stay, the next upgrade": {
			has: stored{keyPaused: "upgrade"}, upgrades: upgrading("B"), gets: stored{keyPaused: "upgrade", keyHandled: "B"},
		},

		"someone else pauses while ours is on": {
			has: kept.And(stored{keyPaused: "maintenance"}), upgrades: upgrading("A"), does: Overridden, gets: overridden.And(stored{keyPaused: "maintenance"}),
		},
		"someone else pauses while ours is on, at the end": {
			has: kept.And(stored{keyPaused: "maintenance"}), gets: stored{keyPaused: "maintenance"},
		},

		"controller restart mid-upgrade":                     {has: kept, upgrades: upgrading("A"), gets: kept, recheck: noon.Add(warnAfter)},
		"controller restart mid-upgrade, overridden":         {has: overridden, upgrades: upgrading("A"), gets: overridden},
		"controller down when the upgrade begins":            {upgrades: upgrading("A"), does: Begin, gets: ours("A", one), recheck: one.Add(warnAfter)},
		"controller down when the upgrade ends":              {has: kept, does: End, gets: resumed(one)},
		"controller down when one ends and another begins":   {has: kept, upgrades: upgrading("B"), gets: ours("B", noon), recheck: noon.Add(warnAfter)},
		"controller down for the whole of it":                {gets: stored{}},
		"back-to-back upgrade: the pause goes on":            {has: kept, upgrades: upgrading("B"), gets: ours("B", noon), recheck: noon.Add(warnAfter)},
		"back-to-back upgrade: an override is forgotten":     {has: overridden, upgrades: upgrading("B"), does: Begin, gets: ours("B", one), recheck: one.Add(warnAfter)},
		"back-to-back upgrade: somebody's pause stays":       {has: overridden.And(stored{keyPaused: "x"}), upgrades: upgrading("B"), gets: stored{keyPaused: "x", keyHandled: "B"}},
		"Progressing=True without an upgrade: nothing to do": {gets: stored{}},

		"upgrade stuck for days: warned of": {
			has: ours("A", noon.Add(-warnAfter)), upgrades: upgrading("A"), does: Warn,
			gets: ours("A", noon.Add(-warnAfter)).And(stored{keyWarned: at(one)}), recheck: one.Add(time.Hour),
		},
		"upgrade stuck for days: warned of lately": {
			has:      ours("A", noon.Add(-warnAfter)).And(stored{keyWarned: at(noon.Add(time.Second))}),
			upgrades: upgrading("A"),
			gets:     ours("A", noon.Add(-warnAfter)).And(stored{keyWarned: at(noon.Add(time.Second))}),
			recheck:  one.Add(time.Second),
		},

		// A limit: the signal reports the end, and only the restarted clocks protect these Nodes.
		"Progressing=False but workers still reboot: resumed, clocks restarted": {has: kept, does: End, gets: resumed(one)},
		"conditions that no upgrade causes: opt-out": {
			has: stored{keyOption: "false"}, upgrades: upgrading("A"), gets: stored{keyOption: "false"},
		},
		// A limit: this looks the same as a person doing it.
		"GitOps prunes the paused annotation: as user override": {
			has: kept.But(keyPaused), upgrades: upgrading("A"), does: Overridden, gets: overridden,
		},
		"GitOps prunes all annotations: as fresh": {upgrades: upgrading("A"), does: Begin, gets: ours("A", one), recheck: one.Add(warnAfter)},
		"conflict on one: decided anew from what is stored": {
			has: kept.But(keyPaused), upgrades: upgrading("A"), does: Overridden, gets: overridden,
		},
		"pause does not hold timers: they restart": {
			has: kept.And(resumed(noon.Add(-24 * time.Hour))), does: End, gets: resumed(one),
		},
	})
}
