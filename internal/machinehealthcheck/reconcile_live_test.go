package machinehealthcheck

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestSpared: the cache shows a sick Machine, and the live look shows why it must be left alone.
func TestSpared(t *testing.T) {
	t.Parallel()
	type mutation func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, a *clusterv1.Machine)
	tests := map[string]struct {
		mhc    []build.MachineHealthCheckOption
		change mutation
	}{
		"its Node is back": {nil, func(_ *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			w.nodes.Put(client.ObjectKeyFromObject(w.cluster), build.Node("a"))
		}},
		"its workload cluster cannot be read": {nil, func(_ *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			w.nodes.CutOff(client.ObjectKeyFromObject(w.cluster), w.clock.Now())
		}},
		"its verdict is True": {nil, func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, a *clusterv1.Machine) {
			t.Helper()
			w.judge(t, a, metav1.ConditionTrue)
		}},
		"it is paused": {nil, func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, a *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, a, clusterv1.PausedAnnotation, "")
		}},
		"it is to be skipped": {nil, func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, a *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, a, clusterv1.MachineSkipRemediationAnnotation, "")
		}},
		"it is not selected any more": {opts(build.Selector(map[string]string{clusterv1.MachineSetNameLabel: "set"})), func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, a *clusterv1.Machine) {
			t.Helper()
			change(t, w, a, func(m *clusterv1.Machine) { m.Labels[clusterv1.MachineSetNameLabel] = "other" })
		}},
		"it has lost its owner": {nil, func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, a *clusterv1.Machine) {
			t.Helper()
			change(t, w, a, func(m *clusterv1.Machine) { m.OwnerReferences = nil })
		}},
		"its Cluster is gone": {nil, func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			remove(t, w, w.cluster)
		}},
		"its Cluster is paused": {nil, func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			setPaused(t, w, true)
		}},
		"its MachineHealthCheck is paused": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, clusterv1.PausedAnnotation, "")
		}},
		"its MachineHealthCheck is in dry-run": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, DryRunAnnotation, "true")
		}},
		"its MachineHealthCheck has another budget": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, MaxInFlightAnnotation, "1")
		}},
		"its MachineHealthCheck has another strategy": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, StrategyAnnotation, "reboot")
		}},
		"its MachineHealthCheck is invalid": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, machinehealth.ResumedAtAnnotation, "yesterday")
		}},
		"its MachineHealthCheck was resumed just now": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, a *clusterv1.Machine) {
			t.Helper()
			changeStatus(t, w, a, func(m *clusterv1.Machine) { m.Status.NodeRef = clusterv1.MachineNodeReference{} })
			annotate(t, w, mhc, machinehealth.ResumedAtAnnotation, w.clock.Now().Format(time.RFC3339))
		}},
		"its MachineHealthCheck has another spec": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			change(t, w, mhc, func(m *clusterv1.MachineHealthCheck) { m.Spec.Checks.NodeStartupTimeoutSeconds = new(int32(1)) })
		}},
		"its MachineHealthCheck is gone": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			remove(t, w, mhc)
		}},
		"its MachineHealthCheck was taken from us": {nil, func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			w.Policy = targets.Policy{WatchFilter: "us"}
			change(t, w, mhc, func(m *clusterv1.MachineHealthCheck) { m.Labels[clusterv1.WatchLabel] = "them" })
		}},
		"its host was rebooted just now": {opts(byReboot()), func(t *testing.T, w *ward, _ *clusterv1.MachineHealthCheck, a *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, a, remedy.RebootRequestedAtAnnotation, w.clock.Now().Format(time.RFC3339))
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			a := w.sick(t, "a")
			mhc := w.check(t, append(tt.mhc, build.Label(clusterv1.WatchLabel, "us"))...)
			w.freeze(t, mhc)
			tt.change(t, w, mhc, a)
			w.reconcile(t, mhc)
			w.wantTreated(t)
			if told := w.told(); len(told) > 0 {
				t.Errorf("told %q", told)
			}
		})
	}
}

// TestSparedIsLookedAtAgain: no event may come of what spared it, such as one answer that got lost.
func TestSparedIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.sick(t, "a")
	mhc := w.check(t)
	cluster := client.ObjectKeyFromObject(w.cluster)
	w.nodes.CutOff(cluster, w.clock.Now())
	after := w.reconcile(t, mhc)
	w.wantTreated(t)
	if after == 0 || after > time.Minute {
		t.Errorf("looks again after %s, want soon", after)
	}
	w.nodes.Reconnect(cluster)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner")
}

// TestSparedGivesItsPlaceToTheNext: a budget is not wasted on a Machine that does not need it.
func TestSparedGivesItsPlaceToTheNext(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.sick(t, "a")
	w.sick(t, "b")
	w.sick(t, "c")
	w.nodes.Put(client.ObjectKeyFromObject(w.cluster), build.Node("a"))
	mhc := w.check(t, maxInFlight("1"))
	w.reconcile(t, mhc)
	w.wantTreated(t, "b: owner")
}

// TestMachineConditionWithoutCluster: what needs no Node is judged also if no Node can be read.
func TestMachineConditionWithoutCluster(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.sick(t, "a", build.Condition("Disk", metav1.ConditionFalse, "Broken", build.Epoch))
	w.sick(t, "b", build.Annotation(clusterv1.RemediateMachineAnnotation, ""))
	w.sick(t, "c")
	w.nodes.CutOff(client.ObjectKeyFromObject(w.cluster), w.clock.Now())
	mhc := w.check(t, build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, time.Minute))
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner", "b: owner")
}

// TestReplacedMachine: another Machine of the same name is another patient.
func TestReplacedMachine(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.freeze(t, mhc)
	remove(t, w, a)
	w.sick(t, "a")
	w.reconcile(t, mhc)
	w.wantTreated(t)
}

// TestMachineGone: one that is gone by now is no error.
func TestMachineGone(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t)
	w.freeze(t, mhc)
	remove(t, w, a)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: delete", "b: owner")
	if told := w.told(); len(told) != 1 {
		t.Errorf("told %q, want nothing about the one that is gone", told)
	}
}

// TestMarkIsNotTouched: the owner writes into it how it goes on.
func TestMarkIsNotTouched(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	w.freeze(t, mhc)
	changeStatus(t, w, a, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
			Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: "RemediationDeferred", Message: "not now",
		})
	})
	before, _ := fetch(t, w, a)
	w.restart(w.env.Client)
	w.reconcile(t, mhc)
	if after, _ := fetch(t, w, a); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("the Machine was written to: %+v", after.Status.Conditions)
	}
}
