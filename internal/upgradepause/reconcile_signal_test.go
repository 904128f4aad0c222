package upgradepause

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

var errBroken = errors.New("broken on purpose")

const (
	unreadableEvent = "Warning UpgradeSignalUnreadable "
	readableEvent   = "Normal UpgradeSignalReadable "
)

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
