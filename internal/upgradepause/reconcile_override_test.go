package upgradepause

import (
	"testing"
	"time"
)

// override is what a person does to our pause.
type override struct {
	has    stored
	does   map[string]*string
	leaves stored // except for the record, which goes with the upgrade
	silent bool   // since nothing is left to see
}

// atTheNext returns what is stored when the next upgrade, B, has begun.
func (o override) atTheNext(now time.Time) stored {
	switch value, paused := o.leaves[keyPaused]; {
	case !paused:
		return ours("B", now)
	case value == "sickbay":
		return handedOver("B", now)
	}
	return o.leaves.And(stored{keyHandled: "B"})
}

// TestOverride: what a person does to our pause holds for the rest of the upgrade, even after a restart, and
// is forgotten at the next upgrade.
func TestOverride(t *testing.T) {
	t.Parallel()
	unpaused, free, theirs := stored{}, stored{keyPaused: "sickbay"}, func(value string) stored { return stored{keyPaused: value} }
	tests := map[string]override{
		"unpauses and leaves the marker":   {does: map[string]*string{keyPaused: nil}, leaves: unpaused},
		"unpauses and removes the marker":  {does: map[string]*string{keyPaused: nil, keyMarker: nil}, leaves: unpaused},
		"removes all but the record":       {does: map[string]*string{keyPaused: nil, keyMarker: nil, keySince: nil}, leaves: unpaused, silent: true},
		"unpauses what is handed over":     {has: free, does: map[string]*string{keyPaused: new("sickbay")}, leaves: free},
		"pauses with a value of their own": {does: map[string]*string{keyPaused: new("me")}, leaves: theirs("me")},
		"pauses with no value":             {does: map[string]*string{keyPaused: new("")}, leaves: theirs("")},
		"makes our pause theirs":           {does: map[string]*string{keyMarker: nil}, leaves: theirs("upgrade")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			onEachKind(t, func(f *harness) {
				check := f.check("mhc", tt.has)
				f.upgrading("A")
				f.reconcile(check)
				f.wantEvents(pausedEvent)

				f.annotate(check, tt.does)
				f.restart(f.env.Client)
				f.reconcile(check)
				f.wantStored(check, tt.leaves.And(stored{keyHandled: "A"}))
				if !tt.silent {
					f.wantEvents(overriddenEvent)
				}
				f.restart(f.env.Client)
				f.wantRest(check)

				f.upgrading()
				f.reconcile(check)
				f.wantStored(check, tt.leaves)
				f.wantRest(check)

				f.upgrading("B")
				f.reconcile(check)
				f.wantStored(check, tt.atTheNext(f.clock.Now()))
			})
		})
	}
}

// TestOverrideSeenTooLate: the upgrade ends before Sickbay looks. Nothing of ours is left, and no clocks
// restart, since a person decided during the upgrade.
func TestOverrideSeenTooLate(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.upgrading("A")
		f.reconcile(check)
		f.wantEvents(pausedEvent)
		f.unannotate(check, keyPaused)
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, stored{})
		f.wantRest(check)
	})
}

// TestUserPausesAgain: a person unpauses and then pauses again. That pause is theirs, during the upgrade and
// after it.
func TestUserPausesAgain(t *testing.T) {
	onEachKind(t, func(f *harness) {
		for name, value := range map[string]string{"empty": "", "words": "me", "ours": "upgrade"} {
			check := f.check(name, nil)
			f.upgrading("A")
			f.reconcile(check)
			f.unannotate(check, keyPaused)
			f.reconcile(check)
			f.wantEvents(pausedEvent, overriddenEvent)

			f.annotate(check, map[string]*string{keyPaused: &value})
			f.restart(f.env.Client)
			f.wantRest(check)
			f.wantStored(check, stored{keyPaused: value, keyHandled: "A"})

			f.upgrading()
			f.pass(time.Hour)
			f.reconcile(check)
			f.wantStored(check, stored{keyPaused: value})
			f.wantRest(check)
		}
	})
}
