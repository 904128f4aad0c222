package machinehealth

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestRulesOf(t *testing.T) {
	noTimeout := build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Checks.UnhealthyNodeConditions = []clusterv1.UnhealthyNodeCondition{{Type: "Ready", Status: "False"}}
	})
	tests := map[string]struct {
		given build.MachineHealthCheckOption
		want  Rules
	}{
		"nodeStartupTimeoutSeconds defaults to 600": {build.MachineHealthCheckFunc(func(*clusterv1.MachineHealthCheck) {}), Rules{StartupTimeout: 10 * time.Minute}},
		"nodeStartupTimeoutSeconds 0":               {build.NodeStartupTimeout(0), Rules{}},
		"nodeStartupTimeoutSeconds 45":              {build.NodeStartupTimeout(45 * time.Second), Rules{StartupTimeout: 45 * time.Second}},
		"Node conditions": {build.UnhealthyNodeCondition(corev1.NodeReady, "Unknown", time.Minute), Rules{
			StartupTimeout: 10 * time.Minute, NodeConditions: []ConditionRule{{"Ready", "Unknown", time.Minute}},
		}},
		"Machine conditions": {build.UnhealthyMachineCondition("Disk", "False", time.Minute), Rules{
			StartupTimeout: 10 * time.Minute, MachineConditions: []ConditionRule{{"Disk", "False", time.Minute}},
		}},
		"a missing timeout": {noTimeout, Rules{StartupTimeout: 10 * time.Minute, NodeConditions: []ConditionRule{{"Ready", "False", 0}}}},
		"resumed-at":        {build.Annotation(ResumedAtAnnotation, now.Format(time.RFC3339)), Rules{StartupTimeout: 10 * time.Minute, ResumedAt: now}},
		"resumed-at that cannot be read counts as absent": {build.Annotation(ResumedAtAnnotation, "yesterday"), Rules{StartupTimeout: 10 * time.Minute}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, RulesOf(build.MachineHealthCheck("ns", "mhc", tt.given))); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}
