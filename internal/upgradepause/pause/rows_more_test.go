package pause

import (
	"testing"
)

// TestHandedOver: any value of the annotation keeps Cluster API's own controller away, and we never remove it.
func TestHandedOver(t *testing.T) {
	free, kept := stored{keyPaused: "sickbay"}, handedOver("A", noon)
	decideRows(t, map[string]row{
		"no upgrade":          {has: free, gets: free},
		"paused":              {has: free, upgrades: upgrading("A"), does: Begin, gets: handedOver("A", one), recheck: one.Add(warnAfter)},
		"kept":                {has: kept, upgrades: upgrading("A"), gets: kept, recheck: noon.Add(warnAfter)},
		"the next upgrade":    {has: kept, upgrades: upgrading("B"), gets: handedOver("B", noon), recheck: noon.Add(warnAfter)},
		"resumed":             {has: kept, does: End, gets: resumed(one).And(free)},
		"unpaused by a user":  {has: kept.But(keyMarker), upgrades: upgrading("A"), does: Overridden, gets: free.And(stored{keyHandled: "A"})},
		"applied from Git":    {has: kept.And(free), upgrades: upgrading("A"), gets: kept, recheck: noon.Add(warnAfter)},
		"paused by a user":    {has: kept.And(stored{keyPaused: "mine"}), upgrades: upgrading("A"), does: Overridden, gets: stored{keyPaused: "mine", keyHandled: "A"}},
		"taken back":          {has: kept.But(keyPaused), upgrades: upgrading("A"), does: Overridden, gets: stored{keyHandled: "A"}},
		"taken back, the end": {has: stored{keyHandled: "A"}, gets: stored{}},
		"handed over during the pause: it stays paused": {
			has: ours("A", noon).And(free), upgrades: upgrading("A"), gets: kept, recheck: noon.Add(warnAfter),
		},
		"only the marker is left": {
			has: free.And(stored{keyMarker: ""}), upgrades: upgrading("A"), gets: handedOver("A", one), recheck: one.Add(warnAfter),
		},
		"only the marker is left, the end": {has: free.And(stored{keyMarker: ""}), does: End, gets: resumed(one).And(free)},
	})
}

// TestHaltedUpgradeIsNotOver: nothing is paused for it, and an override of it still holds when it goes on. It
// does not prevent pauses for the next upgrade.
func TestHaltedUpgradeIsNotOver(t *testing.T) {
	decideRows(t, map[string]row{
		"fresh":                            {upgrades: halted(upgrading("A")), gets: stored{}},
		"paused":                           {has: ours("A", noon), upgrades: halted(upgrading("A")), does: End, gets: resumed(one)},
		"overridden":                       {has: stored{keyHandled: "A"}, upgrades: halted(upgrading("A")), gets: stored{keyHandled: "A"}},
		"overridden, not noted":            {has: ours("A", noon).But(keyPaused), upgrades: halted(upgrading("A")), does: Overridden, gets: stored{keyHandled: "A"}},
		"overridden, another begins":       {has: stored{keyHandled: "A"}, upgrades: append(upgrading("B"), halted(upgrading("A"))...), does: Begin, gets: ours("A,B", one), recheck: one.Add(warnAfter)},
		"overridden for both, one goes on": {has: stored{keyHandled: "A,B"}, upgrades: append(upgrading("B"), halted(upgrading("A"))...), gets: stored{keyHandled: "A,B"}},
		"overridden for one before":        {has: stored{keyHandled: "Z"}, upgrades: halted(upgrading("A")), gets: stored{}},
		"paused for both, the other goes":  {has: ours("A,B", noon), upgrades: append(upgrading("B"), halted(upgrading("A"))...), gets: ours("A,B", noon), recheck: noon.Add(warnAfter)},
	})
}

// TestExceptedByItsCluster: it is resumed during the upgrade and not paused again; a person's pause stays.
func TestExceptedByItsCluster(t *testing.T) {
	settle := Settle{Within: settleWithin, NotReady: []string{"m1"}}
	decideRows(t, map[string]row{
		"fresh":                 {excepted: true, upgrades: upgrading("A")},
		"ours":                  {excepted: true, has: ours("A", noon), upgrades: upgrading("A"), does: End, gets: resumed(one)},
		"ours, it would settle": {excepted: true, settle: settle, has: settling(noon), does: End, gets: resumed(one)},
		"nobody knows yet":      {unsure: true, upgrades: upgrading("A")},
		"ours, nobody knows":    {unsure: true, has: ours("A", noon), upgrades: upgrading("A"), gets: ours("A", noon), recheck: noon.Add(warnAfter)},
		"somebody's":            {excepted: true, has: stored{keyPaused: "mine"}, upgrades: upgrading("A"), gets: stored{keyPaused: "mine"}},
	})
}

// TestDrainRemovesAllThatSickbayWrote: when Sickbay drains, all that it wrote goes, whatever goes on. What people and other programs wrote stays.
func TestDrainRemovesAllThatSickbayWrote(t *testing.T) {
	decideRows(t, map[string]row{
		"nothing":                       {drains: true},
		"an upgrade begins":             {drains: true, upgrades: upgrading("A")},
		"paused by us":                  {drains: true, has: ours("A", noon).And(stored{"owner": "me"}), upgrades: upgrading("A"), does: End, gets: stored{"owner": "me"}},
		"paused by us, warned, settles": {drains: true, has: ours("A", noon).And(stored{keyWarned: at(noon), keySettling: at(noon)}), does: End},
		"handed over, and paused by us": {
			drains: true, has: handedOver("A", noon), upgrades: upgrading("A"), does: End, gets: stored{keyPaused: "sickbay"},
		},
		"the record of it is lost":         {drains: true, has: ours("A", noon).But(keyHandled), does: End},
		"handed over":                      {drains: true, has: stored{keyPaused: "sickbay"}, gets: stored{keyPaused: "sickbay"}},
		"paused by somebody":               {drains: true, has: stored{keyPaused: "", keyHandled: "A"}, upgrades: upgrading("A"), gets: stored{keyPaused: ""}},
		"somebody has taken it over":       {drains: true, has: ours("A", noon).And(stored{keyPaused: "maintenance"}), gets: stored{keyPaused: "maintenance"}},
		"somebody has unpaused it":         {drains: true, has: ours("A", noon).But(keyPaused), upgrades: upgrading("A")},
		"it was resumed":                   {drains: true, has: resumed(noon)},
		"another program's pause":          {drains: true, has: stored{keyPaused: "", keyMarker: ""}, gets: stored{keyPaused: "", keyMarker: ""}},
		"somebody's, noted by us":          {drains: true, has: stored{keyPaused: "", keyMarker: "", keyHandled: "A"}, gets: stored{keyPaused: ""}},
		"another program's marker":         {drains: true, has: stored{keyMarker: ""}, gets: stored{keyMarker: ""}},
		"excepted from pauses by somebody": {drains: true, has: stored{keyOption: "false"}, gets: stored{keyOption: "false"}},
	})
}
