package pause

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExceptedByItsCluster: it is resumed during the upgrade and not paused again, and a message says so; a person's pause stays.
func TestExceptedByItsCluster(t *testing.T) {
	for name, r := range map[string]row{
		"fresh":                 {upgrades: upgrading("A")},
		"ours":                  {has: ours("A", noon), upgrades: upgrading("A"), does: End, gets: resumed(one)},
		"ours, it would settle": {has: settling(noon), does: End, gets: resumed(one)},
		"somebody's":            {has: stored{keyPaused: "mine"}, upgrades: upgrading("A"), gets: stored{keyPaused: "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Annotations: r.has, Upgrades: r.upgrades, WarnAfter: warnAfter, Excepted: true, Settle: Settle{Within: settleWithin, NotReady: []string{"m1"}}}
			d := Decide(f, one)
			got, want := row{has: r.has, upgrades: r.upgrades, does: d.Transition, gets: r.has.After(d.Changes), recheck: d.RecheckAt}, r
			want.gets = r.gets.And(nil)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	f := Facts{Annotations: ours("A", noon), Upgrades: upgrading("A"), WarnAfter: warnAfter, Excepted: true, Restarts: true}
	want := "Resumed: excepted by sickbay.dev/pause-on-upgrade of its Cluster; Sickbay's timeouts count from now"
	if got := Message(f, Decide(f, one), one); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
