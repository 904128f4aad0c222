package upgradepause

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const settlingEvent = "Normal UpgradeSettling "

// waiting reports machines that are not back; it counts its calls.
type waiting struct {
	names []string
	err   error
	asked int
}

func (w *waiting) NotReady(context.Context, *metav1.PartialObjectMetadata) ([]string, error) {
	w.asked++
	return w.names, w.err
}

// TestSettlesAcrossARestart: the start of settling is stored, so after a restart Sickbay does not begin again.
func TestSettlesAcrossARestart(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check, nodes := f.check("mhc", nil), &waiting{names: []string{"m1"}}
		f.settles(nodes)
		f.upgrading("A")
		f.reconcile(check)
		f.wantEvents(pausedEvent)
		if nodes.asked > 0 {
			t.Error("Nodes are looked at in the midst of an upgrade")
		}
		over := f.pass(time.Hour)
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, settling(over))
		f.wantEvents(settlingEvent)
		f.wantRest(check)

		f.restart(f.env.Client)
		f.settles(nodes)
		nodes.err = errors.New("no permission")
		f.clock.SetTime(over.Add(settleWithin - time.Second))
		f.reconcile(check)
		f.wantStored(check, settling(over))
		late := f.pass(time.Second)
		f.reconcile(check)
		f.wantStored(check, resumed(late))
		f.wantEvents(resumedEvent)
	})
}

// TestOursDoNotSettle: if Sickbay manages the machines, their clocks restart, so the pause need not wait.
func TestOursDoNotSettle(t *testing.T) {
	f := newHarness(t, ClusterAPIKind)
	check, nodes := f.check("mhc", nil), &waiting{names: []string{"m1"}}
	f.settles(nodes)
	f.Ours = func(*metav1.PartialObjectMetadata) bool { return true }
	f.upgrading("A")
	f.reconcile(check)
	f.upgrading()
	f.reconcile(check)
	f.wantStored(check, resumed(noon))
	if nodes.asked > 0 {
		t.Error("Nodes are looked at for nothing")
	}
}

// settles makes the Reconciler wait for machines that are not back.
func (f *harness) settles(nodes Readiness) {
	f.Readiness, f.SettleTimeout = nodes, settleWithin
}
