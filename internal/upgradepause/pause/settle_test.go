package pause

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSettle: if another controller manages the machines, the pause lasts after the upgrade until the Nodes are Ready or the time
// is up.
func TestSettle(t *testing.T) {
	away := Settle{Within: settleWithin, NotReady: []string{"m1"}}
	back := Settle{Within: settleWithin}
	dark := Settle{Within: settleWithin, Unknown: "no permission"}
	soon := Settle{Within: settleWithin, Starting: true}
	excepted := stored{keyOption: "false"}
	for name, tt := range map[string]struct {
		row
		settle Settle
	}{
		"nobody waits":                    {row{has: ours("A", noon), does: End, gets: resumed(one)}, Settle{NotReady: []string{"m1"}}},
		"all are Ready":                   {row{has: ours("A", noon), does: End, gets: resumed(one)}, back},
		"one is not":                      {row{has: ours("A", noon), does: Settling, gets: settling(one), recheck: one.Add(lookAgain)}, away},
		"it cannot be told":               {row{has: ours("A", noon), does: Settling, gets: settling(one), recheck: one.Add(lookAgain)}, dark},
		"it can be told in a moment":      {row{has: ours("A", noon), does: Settling, gets: settling(one), recheck: one.Add(lookSoon)}, soon},
		"still not":                       {row{has: settling(one.Add(-time.Minute)), gets: settling(one.Add(-time.Minute)), recheck: one.Add(lookAgain)}, away},
		"the last second":                 {row{has: settling(one.Add(time.Second - settleWithin)), gets: settling(one.Add(time.Second - settleWithin)), recheck: one.Add(time.Second)}, away},
		"the time is up":                  {row{has: settling(one.Add(-settleWithin)), does: End, gets: resumed(one)}, away},
		"up, and it cannot be told":       {row{has: settling(one.Add(-settleWithin)), does: End, gets: resumed(one)}, dark},
		"now it is":                       {row{has: settling(one.Add(-time.Minute)), does: End, gets: resumed(one)}, back},
		"another clock was ahead":         {row{has: settling(one.Add(time.Hour)), gets: settling(one), recheck: one.Add(lookAgain)}, away},
		"an odd time begins anew":         {row{has: settling(one).And(stored{keySettling: "now"}), does: Settling, gets: settling(one), recheck: one.Add(lookAgain)}, away},
		"it goes on":                      {row{has: settling(one), upgrades: upgrading("A"), gets: ours("A", noon), recheck: noon.Add(warnAfter)}, away},
		"the next one begins":             {row{has: settling(one), upgrades: upgrading("B"), gets: ours("B", noon), recheck: noon.Add(warnAfter)}, away},
		"the signal is lost":              {row{has: settling(one), gets: settling(one), recheck: one.Add(lookAgain)}, away},
		"somebody unpauses":               {row{has: settling(one).But(keyPaused)}, away},
		"somebody takes the pause over":   {row{has: settling(one).And(stored{keyPaused: "mine"}), gets: stored{keyPaused: "mine"}}, away},
		"somebody excepts":                {row{has: settling(one).And(excepted), does: End, gets: resumed(one).And(excepted)}, away},
		"handed over, and another's":      {row{has: settling(one).And(stored{keyPaused: "sickbay-upgrade"}), gets: settling(one).And(stored{keyPaused: "sickbay-upgrade"}), recheck: one.Add(lookAgain)}, away},
		"another program's pause":         {row{has: stored{keyPaused: "", keyMarker: ""}, does: Settling, gets: settling(one).And(stored{keySince: at(one)}), recheck: one.Add(lookAgain)}, away},
		"another program's, all is ready": {row{has: stored{keyPaused: "", keyMarker: ""}, does: End, gets: resumed(one)}, back},
		"not paused by us":                {row{has: stored{keyPaused: ""}, gets: stored{keyPaused: ""}}, away},
		"long, but it will end":           {row{has: settling(one).And(stored{keySince: at(one.Add(-warnAfter))}), gets: settling(one).And(stored{keySince: at(one.Add(-warnAfter))}), recheck: one.Add(lookAgain)}, away},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Annotations: tt.has, Upgrades: tt.upgrades, WarnAfter: warnAfter, Settle: tt.settle}
			d := Decide(f, one)
			got, want := row{has: tt.has, upgrades: tt.upgrades, does: d.Transition, gets: tt.has.After(d.Changes), recheck: d.RecheckAt}, tt.row
			want.gets = tt.gets.And(nil)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			f.Annotations = got.gets
			if again := Decide(f, one); len(again.Changes) > 0 || again.Transition != None {
				t.Errorf("a second look writes again: %+v", again)
			}
		})
	}
}

// TestSettleIsSaid: messages say what a pause waits for, and what ended it.
func TestSettleIsSaid(t *testing.T) {
	many := []string{"a", "b", "c", "d", "e", "f", "g"}
	for name, tt := range map[string]struct {
		has    stored
		settle Settle
		want   string
	}{
		"goes on": {
			ours("A", noon), Settle{Within: settleWithin, NotReady: []string{"m1"}},
			"The upgrade is over. Stays paused until all Nodes are Ready, for at most 15m0s; without a Node that is Ready: m1",
		},
		"goes on for many": {
			ours("A", noon), Settle{Within: settleWithin, NotReady: many},
			"The upgrade is over. Stays paused until all Nodes are Ready, for at most 15m0s; without a Node that is Ready: a, b, c, d, e and 2 more",
		},
		"goes on, blind": {
			ours("A", noon), Settle{Within: settleWithin, Unknown: "no permission"},
			"The upgrade is over. Stays paused until all Nodes are Ready, for at most 15m0s; Sickbay cannot tell whether all Nodes are Ready: no permission",
		},
		"they are Ready": {settling(one), Settle{Within: settleWithin}, "Resumed: the upgrade is over, and all Nodes are Ready"},
		"they are not": {
			settling(noon), Settle{Within: settleWithin, NotReady: []string{"m1", "m2"}},
			"Resumed: the upgrade is over, and so are the 15m0s that its Nodes had to get Ready; without a Node that is Ready: m1, m2",
		},
		"excepted after the end": {settling(one).And(stored{keyOption: "false"}), Settle{Within: settleWithin}, "Resumed: the upgrade is over"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Annotations: tt.has, WarnAfter: warnAfter, Settle: tt.settle, Restarts: true}
			if got := Message(f, Decide(f, one), one); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
