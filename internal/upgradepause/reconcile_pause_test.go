package upgradepause

import (
	"testing"
	"time"
)

// The beginnings of the events; another test covers the rest of the texts.
const (
	pausedEvent     = "Normal PausedForUpgrade Paused: Upgrade A goes on"
	resumedEvent    = "Normal ResumedAfterUpgrade Resumed: the upgrade is over"
	exceptedEvent   = "Normal ResumedAfterUpgrade Resumed: excepted"
	overriddenEvent = "Normal UpgradePauseOverridden "
)

// TestPauseAndResume: one write pauses, marks and records, and all of it is removed afterwards.
func TestPauseAndResume(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", stored{"owner": "me"})
		f.wantRest(check)

		f.upgrading("A")
		began := f.clock.Now()
		f.reconcile(check)
		f.wantStored(check, ours("A", began).And(stored{"owner": "me"}))
		f.wantEvents(pausedEvent)
		f.wantRest(check)

		f.upgrading()
		over := f.pass(time.Hour)
		f.reconcile(check)
		f.wantStored(check, resumed(over).And(stored{"owner": "me"}))
		f.wantEvents(resumedEvent)
		f.wantRest(check)
	})
}

// TestOneWrite: nobody ever sees a pause without its marker, neither when it begins nor when it ends.
func TestOneWrite(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		writes := 0
		f.restart(f.meddling(func() { writes++ }))
		f.upgrading("A")
		f.reconcile(check)
		f.upgrading()
		f.reconcile(check)
		if writes != 2 {
			f.t.Errorf("%d writes for a pause and its end, want 2", writes)
		}
	})
}

// TestForeignPause: it stays as it is, whatever its value, before, during and after an upgrade, which is recorded
// beside it.
func TestForeignPause(t *testing.T) {
	onEachKind(t, func(f *harness) {
		for name, value := range map[string]string{"empty": "", "true": "true", "ours-without-a-mark": "upgrade", "words": "until Monday"} {
			check := f.check(name, stored{keyPaused: value})
			f.wantRest(check)
			f.upgrading("A")
			f.reconcile(check)
			f.wantStored(check, stored{keyPaused: value, keyHandled: "A"})
			f.wantRest(check)
			f.upgrading()
			f.reconcile(check)
			f.wantStored(check, stored{keyPaused: value})
			f.wantRest(check)
		}
	})
}

// TestNewDuringTheUpgrade: an object that is created during the upgrade is paused, too.
func TestNewDuringTheUpgrade(t *testing.T) {
	onEachKind(t, func(f *harness) {
		f.upgrading("A")
		f.reconcile(f.check("old", nil))
		later := f.pass(time.Hour)
		check := f.check("new", nil)
		f.reconcile(check)
		f.wantStored(check, ours("A", later))
	})
}

// TestDownAtTheEnds: it does not matter whether Sickbay saw an upgrade begin or end.
func TestDownAtTheEnds(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.upgrading("A")
		f.reconcile(check)
		f.wantEvents(pausedEvent)

		f.restart(f.env.Client)
		f.wantRest(check)
		f.wantStored(check, ours("A", noon))

		f.upgrading()
		f.restart(f.env.Client)
		f.reconcile(check)
		f.wantStored(check, resumed(f.clock.Now()))
		f.wantEvents(resumedEvent)
	})
}

// TestBackToBack: one upgrade follows another, and Sickbay sees no moment between them.
func TestBackToBack(t *testing.T) {
	onEachKind(t, func(f *harness) {
		kept, overridden := f.check("kept", nil), f.check("overridden", nil)
		f.upgrading("A")
		f.reconcile(kept)
		f.reconcile(overridden)
		f.unannotate(overridden, keyPaused)
		f.reconcile(overridden)
		f.wantStored(overridden, stored{keyHandled: "A"})

		f.upgrading("B")
		next := f.pass(time.Hour)
		f.reconcile(kept)
		f.wantStored(kept, ours("B", noon))
		f.reconcile(overridden)
		f.wantStored(overridden, ours("B", next))

		f.upgrading()
		f.reconcile(kept)
		f.reconcile(overridden)
		f.wantStored(kept, resumed(next))
		f.wantStored(overridden, resumed(next))
	})
}

// TestExcepted: the owner of a MachineHealthCheck may say no, at any time.
func TestExcepted(t *testing.T) {
	onEachKind(t, func(f *harness) {
		f.upgrading("A")
		check := f.check("mhc", stored{keyOption: "false"})
		f.wantRest(check)
		f.wantStored(check, stored{keyOption: "false"})

		f.unannotate(check, keyOption)
		paused := f.pass(time.Hour)
		f.reconcile(check)
		f.wantStored(check, ours("A", paused))
		f.wantEvents(pausedEvent)

		f.annotate(check, map[string]*string{keyOption: new("false")})
		excepted := f.pass(time.Hour)
		f.reconcile(check)
		f.wantStored(check, resumed(excepted).And(stored{keyOption: "false"}))
		f.wantEvents(exceptedEvent)
	})
}

// TestHandedOverStaysSo: at no moment could Cluster API's own controller take it for its own.
func TestHandedOverStaysSo(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", stored{keyPaused: "sickbay"})
		f.upgrading("A")
		f.reconcile(check)
		f.wantStored(check, handedOver("A", noon))
		f.wantEvents(pausedEvent)
		f.wantRest(check)
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, resumed(f.clock.Now()).And(stored{keyPaused: "sickbay"}))
	})
}
