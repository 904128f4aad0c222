package upgradepause

import (
	"fmt"
	"testing"
	"time"
)

func tooLongEvent(d string) string {
	return fmt.Sprintf("Warning UpgradePauseTooLong Paused for %s, and nothing is remediated meanwhile: Upgrade A goes on", d)
}

// TestWarning: Sickbay warns when a pause gets long, and then once an hour, across restarts.
func TestWarning(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.upgrading("A")
		if after := f.reconcile(check); after != warnAfter {
			f.t.Errorf("looks again after %s, want %s", after, warnAfter)
		}
		f.wantEvents(pausedEvent)
		f.pass(warnAfter - time.Second)
		if after := f.reconcile(check); after != time.Second {
			f.t.Errorf("looks again after %s, want a second", after)
		}
		f.wantEvents()

		warned := f.pass(time.Second)
		if after := f.reconcile(check); after != warnEvery {
			f.t.Errorf("looks again after %s, want %s", after, warnEvery)
		}
		f.wantEvents(tooLongEvent("4h0m0s"))
		f.wantStored(check, ours("A", noon).And(stored{keyWarned: at(warned)}))
		f.wantRest(check)

		f.pass(warned.Add(warnEvery - time.Second).Sub(f.clock.Now()))
		f.restart(f.env.Client)
		f.reconcile(check)
		f.wantEvents()
		f.pass(time.Second)
		f.restart(f.env.Client)
		f.reconcile(check)
		f.wantEvents(tooLongEvent("5h0m0s"))

		// After three days without Sickbay, there is one warning, not one for each hour.
		f.pass(72 * time.Hour)
		f.restart(f.env.Client)
		f.reconcile(check)
		f.reconcile(check)
		f.wantEvents(tooLongEvent("77h0m0s"))

		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, resumed(f.clock.Now()))
	})
}

// TestWarningIsOfOurPause: others may pause for as long as they like.
func TestWarningIsOfOurPause(t *testing.T) {
	onEachKind(t, func(f *harness) {
		f.upgrading("A")
		foreign, excepted := f.check("foreign", stored{keyPaused: "", keyHandled: "A"}), f.check("excepted", stored{keyOption: "false"})
		f.pass(2 * warnAfter)
		f.wantRest(foreign)
		f.wantRest(excepted)
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
