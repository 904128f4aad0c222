package upgradepause

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

var errBroken = errors.New("broken on purpose")

const (
	unreadableEvent = "Warning UpgradeSignalUnreadable "
	readableEvent   = "Normal UpgradeSignalReadable "
)

// TestUnreadable: while nobody can tell whether an upgrade goes on, nothing is paused or resumed for it, and that is reported once, however
// many MachineHealthChecks there are.
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

// TestUnreadableHasAWayOut: Sickbay still warns of a long pause each hour, and resumes a MachineHealthCheck at once if somebody excepts it.
func TestUnreadableHasAWayOut(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.upgrading("A")
		f.reconcile(check)
		f.wantEvents(pausedEvent)
		f.upgrading()
		f.signal.Err = errBroken
		f.reconcile(check)
		f.wantEvents(unreadableEvent)
		f.pass(f.WarnAfter)
		f.reconcile(check)
		f.wantEvents("Warning UpgradePauseTooLong Paused for 4h0m0s, and nothing is remediated meanwhile: Sickbay cannot tell whether an upgrade is over: broken on purpose")
		f.pass(time.Hour)
		f.reconcile(check)
		f.wantEvents("Warning UpgradePauseTooLong Paused for 5h0m0s")
		f.change(check, func(m *metav1.PartialObjectMetadata) { m.Annotations[pause.OptionAnnotation] = "false" })
		f.reconcile(check)
		f.wantEvents("Normal ResumedAfterUpgrade Resumed: excepted by " + pause.OptionAnnotation)
		f.wantStored(check, resumed(f.clock.Now()).And(stored{keyOption: "false"}))
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

// TestOneOfTwoUnreadable: each signal delays only the end of its own upgrades.
func TestOneOfTwoUnreadable(t *testing.T) {
	onEachKind(t, func(f *harness) {
		broken := &saying{pause.Reading{IDs: "B", Subject: &corev1.ObjectReference{Kind: "Signal", Namespace: f.ns, Name: "broken"}, Err: errBroken}}
		for i, order := range [][]Signal{{f.signal, broken}, {broken, f.signal}} {
			f.Signals = order
			name := func(what string) string { return fmt.Sprintf("%s-%d", what, i) }
			over, undecided, free := f.check(name("over"), ours("A", noon)), f.check(name("undecided"), ours("A,B", noon)), f.check(name("free"), nil)
			f.upgrading()
			for _, check := range []*metav1.PartialObjectMetadata{over, undecided, free} {
				f.reconcile(check)
			}
			f.wantStored(over, resumed(noon))
			f.wantStored(undecided, ours("B", noon))
			f.wantStored(free, stored{})
			f.upgrading("A")
			f.reconcile(free)
			f.wantStored(free, ours("A", noon))
		}
	})
}

// TestSignalsAddUp: any upgrade pauses, until none is left.
func TestSignalsAddUp(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		other := &saying{pause.Reading{Subject: &corev1.ObjectReference{Kind: "Signal", Namespace: f.ns, Name: "other"}, Upgrades: upgrading("B")}}
		f.Signals = []Signal{f.signal, other}
		f.upgrading("A")
		f.reconcile(check)
		f.wantStored(check, ours("A,B", noon))
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, ours("B", noon))
		other.Upgrades = nil
		f.reconcile(check)
		f.wantStored(check, resumed(noon))
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

// TestAskedForEach: a signal is read separately for each MachineHealthCheck.
func TestAskedForEach(t *testing.T) {
	onEachKind(t, func(f *harness) {
		f.Signals = []Signal{onlyFor("one")}
		one, other := f.check("one", nil), f.check("other", nil)
		f.reconcile(one)
		f.reconcile(other)
		f.wantStored(one, ours("A", noon))
		f.wantStored(other, stored{})
	})
}

// onlyFor is an upgrade that concerns only the MachineHealthCheck with this name.
type onlyFor string

func (o onlyFor) Read(_ context.Context, check *metav1.PartialObjectMetadata) []pause.Reading {
	if check.Name != string(o) {
		return nil
	}
	return []pause.Reading{{Upgrades: upgrading("A")}}
}
