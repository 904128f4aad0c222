package upgradepause

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestEventFor: each transition has one event; a decision that changes nothing has none.
func TestEventFor(t *testing.T) {
	type event struct{ Type, Reason, Text string }
	a, both := upgrading("A"), upgrading("A", "B")
	for name, tt := range map[string]struct {
		has      stored
		upgrades []pause.Upgrade
		want     event
	}{
		"paused":           {nil, a, event{"Normal", "PausedForUpgrade", "Paused: Upgrade A goes on"}},
		"paused for two":   {nil, both, event{"Normal", "PausedForUpgrade", "Paused: Upgrade A goes on; Upgrade B goes on"}},
		"paused, misspelt": {stored{keyOption: "no"}, a, event{"Normal", "PausedForUpgrade", `Paused: Upgrade A goes on; annotation sickbay.dev/pause-on-upgrade is "no" and has no effect: it must be "true" or "false"`}},
		"paused, spelt":    {stored{keyOption: "true"}, a, event{"Normal", "PausedForUpgrade", "Paused: Upgrade A goes on"}},
		"resumed":          {ours("A", noon), nil, event{"Normal", "ResumedAfterUpgrade", "Resumed: the upgrade is over; Sickbay's timeouts count from now"}},
		"excepted":         {ours("A", noon).And(stored{keyOption: "false"}), a, event{"Normal", "ResumedAfterUpgrade", "Resumed: excepted by sickbay.dev/pause-on-upgrade; Sickbay's timeouts count from now"}},
		"excepted, but it is over anyway": {
			ours("A", noon).And(stored{keyOption: "false"}), nil, event{"Normal", "ResumedAfterUpgrade", "Resumed: the upgrade is over; Sickbay's timeouts count from now"},
		},
		"unpaused by somebody": {
			ours("A", noon).But(keyPaused), a, event{"Normal", "UpgradePauseOverridden", "Unpaused by somebody, and not paused again until this is over: Upgrade A goes on"},
		},
		"unpaused, noted": {stored{keyHandled: "A"}, a, event{}},
		"too long": {
			ours("A", one.Add(-5*time.Hour-90*time.Second)), a,
			event{"Warning", "UpgradePauseTooLong", "Paused for 5h1m0s, and nothing is repaired meanwhile: Upgrade A goes on"},
		},
		"kept":                  {ours("A", noon), a, event{}},
		"the next upgrade":      {ours("A", noon), upgrading("B"), event{}},
		"another program's":     {stored{keyPaused: "", keyMarker: ""}, a, event{}},
		"somebody's":            {stored{keyPaused: ""}, a, event{}},
		"forgotten":             {stored{keyHandled: "A"}, nil, event{}},
		"forgotten, not seen":   {ours("A", noon).But(keyPaused), nil, event{}},
		"nothing, and no event": {nil, nil, event{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := pause.Facts{Annotations: tt.has, Upgrades: tt.upgrades, WarnAfter: warnAfter, Restarts: true}
			var got event
			d := pause.Decide(f, one)
			got.Type, got.Reason = eventOf[d.Transition].kind, eventOf[d.Transition].reason
			got.Text = pause.Message(f, d, one)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}
