package pause

import (
	"testing"
)

func TestOptOut(t *testing.T) {
	excepted := stored{keyOption: "false"}
	nonsense := stored{keyOption: "no"}
	decideRows(t, map[string]row{
		"before the upgrade":                 {has: excepted, gets: excepted},
		"during the upgrade: resumed":        {has: ours("A", noon).And(excepted), upgrades: upgrading("A"), does: End, gets: resumed(one).And(excepted)},
		"taken back: as fresh":               {has: resumed(noon), upgrades: upgrading("A"), does: Begin, gets: ours("A", one).And(resumed(noon)), recheck: one.Add(warnAfter)},
		"at the end":                         {has: ours("A", noon).And(excepted), does: End, gets: resumed(one).And(excepted)},
		"somebody's pause is not touched":    {has: stored{keyPaused: ""}.And(excepted), upgrades: upgrading("A"), gets: stored{keyPaused: ""}.And(excepted)},
		"an override before is remembered":   {has: stored{keyHandled: "A"}.And(excepted), upgrades: upgrading("A"), gets: stored{keyHandled: "A"}.And(excepted)},
		"and forgotten with the upgrade":     {has: stored{keyHandled: "A"}.And(excepted), upgrades: upgrading("B"), gets: excepted},
		"both at once":                       {has: ours("A", noon).But(keyPaused).And(excepted), upgrades: upgrading("A"), does: Overridden, gets: stored{keyHandled: "A"}.And(excepted)},
		"another value excepts nothing":      {has: nonsense, upgrades: upgrading("A"), does: Begin, gets: ours("A", one).And(nonsense), recheck: one.Add(warnAfter)},
		"nor does it resume":                 {has: ours("A", noon).And(nonsense), upgrades: upgrading("A"), gets: ours("A", noon).And(nonsense), recheck: noon.Add(warnAfter)},
		"one that is handed over stays so":   {has: handedOver("A", noon).And(excepted), upgrades: upgrading("A"), does: End, gets: resumed(one).And(excepted).And(stored{keyPaused: "sickbay"})},
		"one that is handed over, untouched": {has: stored{keyPaused: "sickbay"}.And(excepted), upgrades: upgrading("A"), gets: stored{keyPaused: "sickbay"}.And(excepted)},
	})
}

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

// TestAnotherProgram: a program that follows the proposal to the letter writes the same pause.
func TestAnotherProgram(t *testing.T) {
	theirs := stored{keyPaused: "", keyMarker: ""}
	decideRows(t, map[string]row{
		"taken over":                       {has: theirs, upgrades: upgrading("A"), gets: ours("A", one), recheck: one.Add(warnAfter)},
		"resumed":                          {has: theirs, does: End, gets: resumed(one)},
		"excepted":                         {has: theirs.And(stored{keyOption: "false"}), upgrades: upgrading("A"), does: End, gets: resumed(one).And(stored{keyOption: "false"})},
		"it ends our pause":                {has: ours("A", noon).But(keyPaused, keyMarker), gets: stored{}},
		"another value is somebody's":      {has: theirs.And(stored{keyPaused: "true"}), upgrades: upgrading("A"), does: Overridden, gets: stored{keyPaused: "true", keyHandled: "A"}},
		"with a record it is somebody's":   {has: theirs.And(stored{keyHandled: "A"}), gets: stored{keyPaused: ""}},
		"an empty record is a record, too": {has: theirs.And(stored{keyHandled: ""}), gets: stored{keyPaused: ""}},
	})
}

// TestTwoUpgradesAtOnce: each is recorded separately.
func TestTwoUpgradesAtOnce(t *testing.T) {
	decideRows(t, map[string]row{
		"paused for both, in order":     {upgrades: upgrading("B", "A", "B"), does: Begin, gets: ours("A,B", one), recheck: one.Add(warnAfter)},
		"a second begins":               {has: ours("A", noon), upgrades: upgrading("A", "B"), gets: ours("A,B", noon), recheck: noon.Add(warnAfter)},
		"one of them ends":              {has: ours("A,B", noon), upgrades: upgrading("B"), gets: ours("B", noon), recheck: noon.Add(warnAfter)},
		"both end":                      {has: ours("A,B", noon), does: End, gets: resumed(one)},
		"both overridden":               {has: ours("A,B", noon).But(keyPaused), upgrades: upgrading("A", "B"), does: Overridden, gets: stored{keyHandled: "A,B"}},
		"both overridden, one ends":     {has: stored{keyHandled: "A,B"}, upgrades: upgrading("A"), gets: stored{keyHandled: "A"}},
		"one overridden, two go on":     {has: stored{keyHandled: "A"}, upgrades: upgrading("A", "B"), gets: stored{keyHandled: "A"}},
		"the overridden one ends first": {has: stored{keyHandled: "A"}, upgrades: upgrading("B"), does: Begin, gets: ours("B", one), recheck: one.Add(warnAfter)},
		"an ID that begins like another": {
			has: stored{keyHandled: "A1"}, upgrades: upgrading("A"), does: Begin, gets: ours("A", one), recheck: one.Add(warnAfter),
		},
	})
}

// TestHalted: a halted upgrade is not over. Nothing is paused for it, and an override of it still holds when it goes on. It
// does not prevent pauses for the next upgrade.
func TestHalted(t *testing.T) {
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

// TestLifted: if a person paused before the upgrade and unpauses during it, that holds.
func TestLifted(t *testing.T) {
	theirs := stored{keyPaused: "maintenance"}
	decideRows(t, map[string]row{
		"an upgrade begins":       {has: theirs, upgrades: upgrading("A"), gets: theirs.And(stored{keyHandled: "A"})},
		"another one begins":      {has: theirs.And(stored{keyHandled: "A"}), upgrades: upgrading("A", "B"), gets: theirs.And(stored{keyHandled: "A,B"})},
		"it ends":                 {has: theirs.And(stored{keyHandled: "A"}), gets: theirs},
		"lifted":                  {has: stored{keyHandled: "A"}, upgrades: upgrading("A"), gets: stored{keyHandled: "A"}},
		"lifted, and handed over": {has: stored{keyPaused: "sickbay", keyHandled: "A"}, upgrades: upgrading("A"), gets: stored{keyPaused: "sickbay", keyHandled: "A"}},
		"excepted is not noted":   {has: theirs.And(stored{keyOption: "false"}), upgrades: upgrading("A"), gets: theirs.And(stored{keyOption: "false"})},
	})
}

// TestExceptedByItsCluster: it is resumed during the upgrade and not paused again; a person's pause stays.
func TestExceptedByItsCluster(t *testing.T) {
	settle := Settle{Within: settleWithin, NotReady: []string{"m1"}}
	decideRows(t, map[string]row{
		"fresh":                 {excepted: true, upgrades: upgrading("A")},
		"ours":                  {excepted: true, has: ours("A", noon), upgrades: upgrading("A"), does: End, gets: resumed(one)},
		"ours, it would settle": {excepted: true, settle: settle, has: settling(noon), does: End, gets: resumed(one)},
		"somebody's":            {excepted: true, has: stored{keyPaused: "mine"}, upgrades: upgrading("A"), gets: stored{keyPaused: "mine"}},
	})
}

// TestDrains: when Sickbay drains, all that it wrote goes, whatever goes on. What people and other programs wrote stays.
func TestDrains(t *testing.T) {
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
