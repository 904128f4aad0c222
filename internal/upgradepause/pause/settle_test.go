package pause

import (
	"testing"
	"time"
)

// TestSettle: if another controller manages the machines, the pause lasts after the upgrade until the Nodes are Ready or the time
// is up.
func TestSettle(t *testing.T) {
	away := Settle{Within: settleWithin, NotReady: []string{"m1"}}
	back := Settle{Within: settleWithin}
	dark := Settle{Within: settleWithin, Unknown: "no permission"}
	soon := Settle{Within: settleWithin, Starting: true}
	excepted := stored{keyOption: "false"}
	decideRows(t, map[string]row{
		"nobody waits":                    {has: ours("A", noon), does: End, gets: resumed(one), settle: Settle{NotReady: []string{"m1"}}},
		"all are Ready":                   {has: ours("A", noon), does: End, gets: resumed(one), settle: back},
		"one is not":                      {has: ours("A", noon), does: Settling, gets: settling(one), recheck: one.Add(lookAgain), settle: away},
		"it cannot be told":               {has: ours("A", noon), does: Settling, gets: settling(one), recheck: one.Add(lookAgain), settle: dark},
		"it can be told in a moment":      {has: ours("A", noon), does: Settling, gets: settling(one), recheck: one.Add(lookSoon), settle: soon},
		"still not":                       {has: settling(one.Add(-time.Minute)), gets: settling(one.Add(-time.Minute)), recheck: one.Add(lookAgain), settle: away},
		"the last second":                 {has: settling(one.Add(time.Second - settleWithin)), gets: settling(one.Add(time.Second - settleWithin)), recheck: one.Add(time.Second), settle: away},
		"the time is up":                  {has: settling(one.Add(-settleWithin)), does: End, gets: resumed(one), settle: away},
		"up, and it cannot be told":       {has: settling(one.Add(-settleWithin)), does: End, gets: resumed(one), settle: dark},
		"now it is":                       {has: settling(one.Add(-time.Minute)), does: End, gets: resumed(one), settle: back},
		"another clock was ahead":         {has: settling(one.Add(time.Hour)), gets: settling(one), recheck: one.Add(lookAgain), settle: away},
		"an odd time begins anew":         {has: settling(one).And(stored{keySettling: "now"}), does: Settling, gets: settling(one), recheck: one.Add(lookAgain), settle: away},
		"it goes on":                      {has: settling(one), upgrades: upgrading("A"), gets: ours("A", noon), recheck: noon.Add(warnAfter), settle: away},
		"the next one begins":             {has: settling(one), upgrades: upgrading("B"), gets: ours("B", noon), recheck: noon.Add(warnAfter), settle: away},
		"the signal is lost":              {has: settling(one), gets: settling(one), recheck: one.Add(lookAgain), settle: away},
		"somebody unpauses":               {has: settling(one).But(keyPaused), settle: away},
		"somebody takes the pause over":   {has: settling(one).And(stored{keyPaused: "mine"}), gets: stored{keyPaused: "mine"}, settle: away},
		"somebody excepts":                {has: settling(one).And(excepted), does: End, gets: resumed(one).And(excepted), settle: away},
		"handed over, and another's":      {has: settling(one).And(stored{keyPaused: "sickbay"}), gets: settling(one).And(stored{keyPaused: "sickbay"}), recheck: one.Add(lookAgain), settle: away},
		"another program's pause":         {has: stored{keyPaused: "", keyMarker: ""}, does: Settling, gets: settling(one).And(stored{keySince: at(one)}), recheck: one.Add(lookAgain), settle: away},
		"another program's, all is ready": {has: stored{keyPaused: "", keyMarker: ""}, does: End, gets: resumed(one), settle: back},
		"not paused by us":                {has: stored{keyPaused: ""}, gets: stored{keyPaused: ""}, settle: away},
		"long, but it will end":           {has: settling(one).And(stored{keySince: at(one.Add(-warnAfter))}), gets: settling(one).And(stored{keySince: at(one.Add(-warnAfter))}), recheck: one.Add(lookAgain), settle: away},
	})
}

// TestMessages: messages say what a pause waits for, and what ended it. They do not call a halted upgrade over.
func TestMessages(t *testing.T) {
	many := []string{"a", "b", "c", "d", "e", "f", "g"}
	for name, tt := range map[string]struct {
		has    stored
		settle Settle
		want   string
		more   func(*Facts)
	}{
		"goes on": {
			ours("A", noon), Settle{Within: settleWithin, NotReady: []string{"m1"}},
			"The upgrade is over. Stays paused until all Nodes are Ready, for at most 15m0s; without a Node that is Ready: m1", nil,
		},
		"goes on for many": {
			ours("A", noon), Settle{Within: settleWithin, NotReady: many},
			"The upgrade is over. Stays paused until all Nodes are Ready, for at most 15m0s; without a Node that is Ready: a, b, c, d, e and 2 more", nil,
		},
		"goes on, blind": {
			ours("A", noon), Settle{Within: settleWithin, Unknown: "no permission"},
			"The upgrade is over. Stays paused until all Nodes are Ready, for at most 15m0s; Sickbay cannot see whether they are: no permission", nil,
		},
		"they are Ready": {settling(one), Settle{Within: settleWithin}, "Resumed: the upgrade is over, and all Nodes are Ready", nil},
		"they are not": {
			settling(noon), Settle{Within: settleWithin, NotReady: []string{"m1", "m2"}},
			"Resumed: the upgrade is over, and so are the 15m0s that its Nodes had to get Ready; without a Node that is Ready: m1, m2", nil,
		},
		"excepted after the end": {settling(one).And(stored{keyOption: "false"}), Settle{Within: settleWithin}, "Resumed: the upgrade is over", nil},
		"halted": {
			ours("A", noon), Settle{Within: settleWithin}, "Resumed: the upgrade has halted, and all Nodes are Ready",
			func(f *Facts) { f.Upgrades = halted(upgrading("A")) },
		},
		"excepted by its Cluster": {
			ours("A", noon), Settle{}, "Resumed: excepted by sickbay.dev/pause-on-upgrade of its Cluster; Sickbay's timeouts count from now",
			func(f *Facts) { f.Upgrades, f.Excepted = upgrading("A"), true },
		},
		"stuck": {
			ours("A", one.Add(-time.Minute)), Settle{}, "Paused for 1m0s, and nothing is repaired meanwhile: Upgrade A goes on; it is degraded",
			func(f *Facts) { f.Upgrades = stuck(upgrading("A")) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Annotations: tt.has, WarnAfter: warnAfter, Settle: tt.settle, Restarts: true}
			if tt.more != nil {
				tt.more(&f)
			}
			if got := Message(f, Decide(f, one), one); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
