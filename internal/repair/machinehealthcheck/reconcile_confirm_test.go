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
	annotated := func(key, value string) build.MachineHealthCheckFunc {
		return func(m *clusterv1.MachineHealthCheck) { build.Annotation(key, value)(m) }
	}
	tests := map[string]build.MachineHealthCheckFunc{
		"its MachineHealthCheck is paused":            annotated(clusterv1.PausedAnnotation, ""),
		"its MachineHealthCheck is in dry-run":        annotated(mhcspec.DryRunAnnotation, "true"),
		"its MachineHealthCheck has another budget":   annotated(mhcspec.MaxInFlightAnnotation, "1"),
		"its MachineHealthCheck has another strategy": annotated(mhcspec.StrategyAnnotation, "reboot"),
		"its MachineHealthCheck is invalid":           annotated(mhcspec.ResumedAtAnnotation, "yesterday"),
		"its MachineHealthCheck has another spec":     func(m *clusterv1.MachineHealthCheck) { m.Spec.Checks.NodeStartupTimeoutSeconds = new(int32(1)) },
		"its MachineHealthCheck was taken from us":    func(m *clusterv1.MachineHealthCheck) { m.Labels[clusterv1.WatchLabel] = "them" },
		"its MachineHealthCheck is gone":              nil,
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.Policy = mhcspec.Policy{WatchFilter: "us"}
			w.sick(t, "a")
			mhc := w.check(t, build.Label(clusterv1.WatchLabel, "us"))
			w.freeze(t, mhc)
			if edit == nil {
				remove(t, w, mhc)
			} else {
				change(t, w, mhc, edit)
			}
			w.reconcile(t, mhc)
			w.wantAdmitted(t)
			w.wantEvents(t)
		})
	}
}
