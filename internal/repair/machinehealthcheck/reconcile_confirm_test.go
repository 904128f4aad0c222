package machinehealthcheck

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestConfirm: the cache shows a sick Machine, and a look past it shows why nobody may be admitted just now.
func TestConfirm(t *testing.T) {
	t.Parallel()
	type mutation func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, a *clusterv1.Machine)
	tests := map[string]struct {
		mhc    []build.MachineHealthCheckOption
		change mutation
	}{
		"its MachineHealthCheck is paused": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, clusterv1.PausedAnnotation, "")
		}},
		"its MachineHealthCheck is in dry-run": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, mhcspec.DryRunAnnotation, "true")
		}},
		"its MachineHealthCheck has another budget": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, mhcspec.MaxInFlightAnnotation, "1")
		}},
		"its MachineHealthCheck has another strategy": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, mhcspec.StrategyAnnotation, "reboot")
		}},
		"its MachineHealthCheck is invalid": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, mhc, mhcspec.ResumedAtAnnotation, "yesterday")
		}},
		"its MachineHealthCheck has another spec": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			change(t, w, mhc, func(m *clusterv1.MachineHealthCheck) { m.Spec.Checks.NodeStartupTimeoutSeconds = new(int32(1)) })
		}},
		"its MachineHealthCheck is gone": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			remove(t, w, mhc)
		}},
		"its MachineHealthCheck was taken from us": {nil, func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck, _ *clusterv1.Machine) {
			t.Helper()
			w.Policy = mhcspec.Policy{WatchFilter: "us"}
			change(t, w, mhc, func(m *clusterv1.MachineHealthCheck) { m.Labels[clusterv1.WatchLabel] = "them" })
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			a := w.sick(t, "a")
			mhc := w.check(t, append(tt.mhc, build.Label(clusterv1.WatchLabel, "us"))...)
			w.freeze(t, mhc)
			tt.change(t, w, mhc, a)
			w.reconcile(t, mhc)
			w.wantAdmitted(t)
			if events := w.events(); len(events) > 0 {
				t.Errorf("events are %q", events)
			}
		})
	}
}
