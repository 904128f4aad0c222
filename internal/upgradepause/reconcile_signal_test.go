package upgradepause

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

var errBroken = errors.New("broken on purpose")

const (
	unreadableEvent = "Warning UpgradeSignalUnreadable "
	readableEvent   = "Normal UpgradeSignalReadable "
)

// TestUnreadable: while Sickbay cannot read whether an upgrade goes on, it pauses and resumes nothing for it, and says so once for all
// MachineHealthChecks.
func TestUnreadable(t *testing.T) {
	onEachKind(t, func(f *harness) {
		paused, free := f.check("paused", nil), f.check("free", nil)
		f.upgrading("A")
		f.reconcile(paused)
		f.wantEvents(pausedEvent)

		for range 2 {
			f.upgrading()
			f.signal.Err = errBroken
			if after := f.reconcile(free); after != lookAgain {
				f.t.Errorf("looks again after %s, want %s", after, lookAgain)
			}
			f.wantEvents(unreadableEvent)
			f.wantRest(free)
			f.wantRest(paused)
			f.wantStored(free, stored{})
			f.wantStored(paused, ours("A", noon))
			f.wantSeries(readableGauge, `kind="Signal",name="fake",namespace="NS"} 0`)
			f.wantSeries(upgradingGauge, `kind="Signal",name="fake",namespace="NS"} 1`)

			f.signal.Err = nil
			f.upgrading("A")
			f.reconcile(paused)
			f.wantEvents(readableEvent)
			f.wantSeries(readableGauge, `kind="Signal",name="fake",namespace="NS"} 1`)
		}
		f.upgrading()
		f.reconcile(paused)
		f.wantStored(paused, resumed(f.clock.Now()))
		f.wantSeries(upgradingGauge, `kind="Signal",name="fake",namespace="NS"} 0`)
	})
}

// TestStarting: Sickbay waits for a first read, and reports nothing.
func TestStarting(t *testing.T) {
	onEachKind(t, func(f *harness) {
		paused, free := f.check("paused", ours("A", noon)), f.check("free", nil)
		f.signal.Err = pause.ErrStarting
		for _, check := range []*metav1.PartialObjectMetadata{paused, free} {
			if after := f.reconcile(check); after != lookSoon {
				f.t.Errorf("looks again after %s, want %s", after, lookSoon)
			}
			f.wantRest(check)
		}
		f.wantSeries(readableGauge)
		f.wantSeries(upgradingGauge)
	})
}

// TestWatchFilter: objects of another instance are left alone during upgrades.
func TestWatchFilter(t *testing.T) {
	onEachKind(t, func(f *harness) {
		f.WatchFilter = "us"
		f.restart(f.env.Client)
		f.upgrading("A")
		check := f.check("mhc", nil)
		label := func(value string) {
			f.change(check, func(m *metav1.PartialObjectMetadata) { m.Labels = map[string]string{clusterv1.WatchLabel: value} })
		}
		f.wantRest(check)
		label("them")
		f.wantRest(check)
		f.wantSeries(pausedGauge)

		label("us")
		paused := f.pass(time.Minute)
		f.reconcile(check)
		f.wantStored(check, ours("A", paused))
		f.wantSeries(pausedGauge, `group="`+f.Kind.Group+`",machinehealthcheck="mhc",namespace="NS"} 1`)

		label("them")
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, ours("A", paused))
		f.wantSeries(pausedGauge)
	})
}

// TestLabelGoesDuringAPause: somebody removes the label, or gives the manager a filter, during a pause. Nobody else would end the pause, so it
// ends as usual; then the object is left alone.
func TestLabelGoesDuringAPause(t *testing.T) {
	onEachKind(t, func(f *harness) {
		f.WatchFilter = "us"
		f.restart(f.env.Client)
		check := f.check("mhc", nil)
		label := func(labels map[string]string) {
			f.change(check, func(m *metav1.PartialObjectMetadata) { m.Labels = labels })
		}
		label(map[string]string{clusterv1.WatchLabel: "us"})
		f.upgrading("A")
		f.reconcile(check)
		f.wantStored(check, ours("A", noon))

		label(nil)
		f.reconcile(check)
		f.wantStored(check, ours("A", noon))
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, resumed(noon))
		f.upgrading("B")
		f.reconcile(check)
		f.wantStored(check, resumed(noon))
	})
}
