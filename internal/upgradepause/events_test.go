package upgradepause

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestEventFor: one event for each transition, and none for what changes nothing.
func TestEventFor(t *testing.T) {
	type event struct{ Type, Reason, Text string }
	a, both := upgrading("A"), upgrading("A", "B")
	for name, tt := range map[string]struct {
		has      stored
		upgrades []Upgrade
		want     event
	}{
		"paused":           {nil, a, event{"Normal", "PausedForUpgrade", "Paused: Upgrade A goes on"}},
		"paused for two":   {nil, both, event{"Normal", "PausedForUpgrade", "Paused: Upgrade A goes on; Upgrade B goes on"}},
		"paused in doubt":  {stored{keyOption: "no"}, a, event{"Normal", "PausedForUpgrade", `Paused: Upgrade A goes on; annotation sickbay.dev/pause-on-upgrade is "no" and has no effect: it must be "true" or "false"`}},
		"paused, no doubt": {stored{keyOption: "true"}, a, event{"Normal", "PausedForUpgrade", "Paused: Upgrade A goes on"}},
		"resumed":          {ours("A", noon), nil, event{"Normal", "ResumedAfterUpgrade", "Resumed: the upgrade is over; Sickbay's timeouts count from now"}},
		"excepted":         {ours("A", noon).and(stored{keyOption: "false"}), a, event{"Normal", "ResumedAfterUpgrade", "Resumed: excepted by sickbay.dev/pause-on-upgrade; Sickbay's timeouts count from now"}},
		"excepted, but it is over anyway": {
			ours("A", noon).and(stored{keyOption: "false"}), nil, event{"Normal", "ResumedAfterUpgrade", "Resumed: the upgrade is over; Sickbay's timeouts count from now"},
		},
		"unpaused by somebody": {
			ours("A", noon).but(keyPaused), a, event{"Normal", "UpgradePauseOverridden", "Unpaused by somebody, and not paused again until this is over: Upgrade A goes on"},
		},
		"unpaused, noted": {stored{keyHandled: "A"}, a, event{}},
		"too long": {
			ours("A", one.Add(-5*time.Hour-90*time.Second)), a,
			event{"Warning", "UpgradePauseTooLong", "Paused for 5h1m0s, and nothing is remediated meanwhile: Upgrade A goes on"},
		},
		"kept":                  {ours("A", noon), a, event{}},
		"the next upgrade":      {ours("A", noon), upgrading("B"), event{}},
		"another program's":     {stored{keyPaused: "", keyMarker: ""}, a, event{}},
		"somebody's":            {stored{keyPaused: ""}, a, event{}},
		"forgotten":             {stored{keyHandled: "A"}, nil, event{}},
		"forgotten, not seen":   {ours("A", noon).but(keyPaused), nil, event{}},
		"nothing, and no event": {nil, nil, event{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Annotations: tt.has, Upgrades: tt.upgrades, WarnAfter: warnAfter}
			var got event
			got.Type, got.Reason, got.Text = eventFor(ClusterAPIKind, f, Decide(f, one), one)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExceptedByItsCluster: it is resumed during the upgrade, never paused again, and that is said; a person's pause is left alone.
func TestExceptedByItsCluster(t *testing.T) {
	for name, r := range map[string]row{
		"fresh":                 {upgrades: upgrading("A")},
		"ours":                  {has: ours("A", noon), upgrades: upgrading("A"), does: Resume, gets: resumed(one)},
		"ours, it would settle": {has: settling(noon), does: Resume, gets: resumed(one)},
		"somebody's":            {has: stored{keyPaused: "mine"}, upgrades: upgrading("A"), gets: stored{keyPaused: "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Annotations: r.has, Upgrades: r.upgrades, WarnAfter: warnAfter, Excepted: true, Settle: Settle{Within: settleWithin, NotReady: []string{"m1"}}}
			d := Decide(f, one)
			got, want := row{has: r.has, upgrades: r.upgrades, does: d.Transition, gets: r.has.after(d), recheck: d.RecheckAt}, r
			want.gets = r.gets.and(nil)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	f := Facts{Annotations: ours("A", noon), Upgrades: upgrading("A"), WarnAfter: warnAfter, Excepted: true}
	want := "Resumed: excepted by sickbay.dev/pause-on-upgrade of its Cluster; Sickbay's timeouts count from now"
	if _, _, got := eventFor(ClusterAPIKind, f, Decide(f, one), one); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestReasonOfEachTransition(t *testing.T) {
	for transition, reason := range map[Transition]string{
		None: "", Pause: EventPaused, Resume: EventResumed, Overridden: EventOverridden, Warn: EventTooLong,
		StaySettling: EventSettling, StaySettling + 1: "",
	} {
		if _, got, _ := eventFor(ClusterAPIKind, Facts{}, Decision{Transition: transition}, one); got != reason {
			t.Errorf("transition %d: got %q, want %q", transition, got, reason)
		}
	}
}
