package machinehealth

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// pauses are the ways to pause health checking.
var pauses = map[string]func(f *harness){
	"Machine": func(f *harness) {
		change(f, f.machine, func(m *clusterv1.Machine) { build.Annotation("cluster.x-k8s.io/paused", "")(m) })
	},
	"MachineHealthCheck": func(f *harness) {
		change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { build.Annotation("cluster.x-k8s.io/paused", "")(m) })
	},
	"Cluster": func(f *harness) {
		change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) })
	},
}

func TestPausedIsUntouched(t *testing.T) {
	for name, pause := range pauses {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			f.reconcile()
			pause(f)
			f.nodes.Remove(f.clusterKey(), "node")
			version := f.version()
			if again := f.reconcile(); again != 0 {
				t.Errorf("look again after %s, want never", again)
			}
			if got := f.version(); got != version {
				t.Errorf("resourceVersion went from %s to %s, want no write", version, got)
			}
		})
	}
}

// TestPausedKeepsWhatWouldBeRemoved: during a pause, the conditions of a Machine stay, even if it ceases to be a target. Only a person who
// has it skipped need not wait until its MachineHealthCheck is not paused any more.
func TestPausedKeepsWhatWouldBeRemoved(t *testing.T) {
	tests := map[string]struct{ pause, leave string }{
		"Machine, MachineHealthCheck deleted":  {"Machine", "MachineHealthCheck deleted"},
		"Machine, skip-remediation is added":   {"Machine", "skip-remediation is added"},
		"Cluster, MachineHealthCheck deleted":  {"Cluster", "MachineHealthCheck deleted"},
		"Cluster, Machine leaves the selector": {"Cluster", "Machine leaves the selector"},
		"Cluster, skip-remediation is added":   {"Cluster", "skip-remediation is added"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			f.sicken()
			pauses[tt.pause](f)
			leaving[tt.leave](f)
			f.reconcile()
			expect.Condition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
		})
	}
}

// TestDrainRemovesTheVerdict: when Sickbay drains, its verdict goes, also from a Machine that is paused: nobody would remove it afterwards. The verdict of a manager
// with another filter stays.
func TestDrainRemovesTheVerdict(t *testing.T) {
	for name, tt := range map[string]struct {
		pause  func(f *harness)
		filter string
		stays  bool
	}{
		"not paused":                {func(*harness) {}, "", false},
		"the Machine":               {pauses["Machine"], "", false},
		"the MachineHealthCheck":    {pauses["MachineHealthCheck"], "", false},
		"the Cluster":               {pauses["Cluster"], "", false},
		"no MachineHealthCheck":     {leaving["MachineHealthCheck deleted"], "", false},
		"a manager of another team": {func(*harness) {}, "other", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			f.reconcile()
			tt.pause(f)
			f.Policy, f.engine = mhcspec.Policy{Drain: true, WatchFilter: tt.filter}, nil
			f.reconcile()
			if tt.stays {
				expect.Condition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
				return
			}
			expect.NoCondition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
		})
	}
}
