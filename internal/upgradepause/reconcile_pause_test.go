package upgradepause

import (
	"testing"
	"time"
)

// The beginnings of the events; another test covers the rest of the texts.
const (
	pausedEvent     = "Normal PausedForUpgrade Paused: Upgrade A goes on"
	resumedEvent    = "Normal ResumedAfterUpgrade Resumed: the upgrade is over"
	overriddenEvent = "Normal UpgradePauseOverridden "
)

// TestPauseAndResume: one write pauses, marks and records, and another one removes all of it, even if Sickbay was down in between.
func TestPauseAndResume(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check, writes := f.check("mhc", stored{"owner": "me"}), 0
		count := f.meddling(func() { writes++ })
		f.restart(count)
		f.wantRest(check)

		f.upgrading("A")
		began := f.clock.Now()
		f.reconcile(check)
		f.wantStored(check, ours("A", began).And(stored{"owner": "me"}))
		f.wantEvents(pausedEvent)
		f.wantRest(check)

		f.upgrading()
		over := f.pass(time.Hour)
		f.restart(count)
		f.reconcile(check)
		f.wantStored(check, resumed(over).And(stored{"owner": "me"}))
		f.wantEvents(resumedEvent)
		f.wantRest(check)
		if writes != 2 {
			f.t.Errorf("%d writes for a pause and its end, want 2", writes)
		}
	})
}

// TestOverride: a person unpauses, and that holds for the rest of the upgrade, even after a restart. It is forgotten at the next one.
func TestOverride(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.upgrading("A")
		f.reconcile(check)
		f.unannotate(check, keyPaused, keyMarker)
		f.restart(f.env.Client)
		f.reconcile(check)
		f.wantStored(check, stored{keyHandled: "A"})
		f.wantEvents(pausedEvent, overriddenEvent)
		f.restart(f.env.Client)
		f.wantRest(check)
		f.upgrading("B")
		f.reconcile(check)
		f.wantStored(check, ours("B", f.clock.Now()))
	})
}

// TestSyncPeriod: the next look is never later than the sync period, and sooner if a warning is due.
func TestSyncPeriod(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.SyncPeriod = 10 * time.Minute
		want := func(want time.Duration) {
			f.t.Helper()
			if after := f.reconcile(check); after > want || after < want*9/10 {
				f.t.Errorf("looks again after %s, want %s, or up to a tenth less", after, want)
			}
		}
		want(10 * time.Minute)
		f.upgrading("A")
		want(10 * time.Minute)
		f.pass(warnAfter - time.Minute)
		want(time.Minute)
	})
}
