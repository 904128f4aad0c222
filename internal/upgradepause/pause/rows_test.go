package pause

import "testing"

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

// TestCornerCases has a row for each case that the proposal does not cover.
func TestCornerCases(t *testing.T) {
	kept, overridden := ours("A", noon), stored{keyHandled: "A"}
	decideRows(t, map[string]row{
		"paused again: what the last end left stays": {
			has: resumed(noon), upgrades: upgrading("B"), does: Begin, gets: ours("B", one).And(resumed(noon)), recheck: one.Add(warnAfter),
		},
		"no upgrade": {gets: stored{}},

		"override, marker removed":       {has: kept.But(keyPaused, keyMarker), upgrades: upgrading("A"), does: Overridden, gets: overridden},
		"override, only the record left": {has: overridden, upgrades: upgrading("A"), gets: overridden},
		"override, at the end":           {has: overridden, gets: stored{}},
		"override, seen at the end":      {has: kept.But(keyPaused), gets: stored{}},
		"override, the next upgrade":     {has: overridden, upgrades: upgrading("B"), does: Begin, gets: ours("B", one), recheck: one.Add(warnAfter)},
		"override, another program's":    {has: stored{keyMarker: ""}, upgrades: upgrading("A"), does: Overridden, gets: overridden},
		"another program's, at the end":  {has: stored{keyMarker: ""}, gets: stored{}},

		"paused again after an override": {has: overridden.And(stored{keyPaused: ""}), upgrades: upgrading("A"), gets: overridden.And(stored{keyPaused: ""})},
		"the same, not seen":             {has: kept.And(stored{keyPaused: ""}), upgrades: upgrading("A"), does: Overridden, gets: overridden.And(stored{keyPaused: ""})},
		"the same, at the end":           {has: overridden.And(stored{keyPaused: ""}), gets: stored{keyPaused: ""}},
		"the same, seen at the end":      {has: kept.And(stored{keyPaused: ""}), gets: stored{keyPaused: ""}},

		"our pause is to stay":             {has: kept.But(keyMarker), upgrades: upgrading("A"), does: Overridden, gets: overridden.And(stored{keyPaused: "upgrade"})},
		"our pause is to stay, at the end": {has: overridden.And(stored{keyPaused: "upgrade"}), gets: stored{keyPaused: "upgrade"}},
		"our pause is to stay, the next":   {has: stored{keyPaused: "upgrade"}, upgrades: upgrading("B"), gets: stored{keyPaused: "upgrade", keyHandled: "B"}},
		"somebody's value":                 {has: kept.And(stored{keyPaused: "mine"}), upgrades: upgrading("A"), does: Overridden, gets: overridden.And(stored{keyPaused: "mine"})},
		"somebody's value, at the end":     {has: kept.And(stored{keyPaused: "mine"}), gets: stored{keyPaused: "mine"}},

		"back-to-back: the pause goes on":      {has: kept, upgrades: upgrading("B"), gets: ours("B", noon), recheck: noon.Add(warnAfter)},
		"back-to-back: somebody's pause stays": {has: overridden.And(stored{keyPaused: "x"}), upgrades: upgrading("B"), gets: stored{keyPaused: "x", keyHandled: "B"}},
	})
}
