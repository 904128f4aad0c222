package mhcspec

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestRulesOf(t *testing.T) {
	now := build.Epoch
	noTimeout := build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Checks.UnhealthyNodeConditions = []clusterv1.UnhealthyNodeCondition{{Type: "Ready", Status: "False"}}
	})
	pausedAt := build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Status.Conditions = append(mhc.Status.Conditions, metav1.Condition{Type: "Paused", Status: "False", LastTransitionTime: metav1.NewTime(now)})
	})
	pausedHandedOver := build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		pausedAt(mhc)
		build.Annotation(clusterv1.PausedAnnotation, "sickbay")(mhc)
	})
	tests := map[string]struct {
		given build.MachineHealthCheckOption
		want  Rules
	}{
		"nodeStartupTimeoutSeconds defaults to 600": {build.MachineHealthCheckFunc(func(*clusterv1.MachineHealthCheck) {}), Rules{StartupTimeout: 10 * time.Minute}},
		"nodeStartupTimeoutSeconds 0":               {build.NodeStartupTimeout(0), Rules{}},
		"nodeStartupTimeoutSeconds 45":              {build.NodeStartupTimeout(45 * time.Second), Rules{StartupTimeout: 45 * time.Second}},
		"Node conditions": {build.UnhealthyNodeCondition(corev1.NodeReady, "Unknown", time.Minute), Rules{
			StartupTimeout: 10 * time.Minute, NodeConditions: []ConditionRule{{Type: "Ready", Status: "Unknown", Timeout: time.Minute}},
		}},
		"Machine conditions": {build.UnhealthyMachineCondition("Disk", "False", time.Minute), Rules{
			StartupTimeout: 10 * time.Minute, MachineConditions: []ConditionRule{{Type: "Disk", Status: "False", Timeout: time.Minute}},
		}},
		"provisioning-timeout":                            {build.Annotation(ProvisioningTimeoutAnnotation, "30m"), Rules{StartupTimeout: 10 * time.Minute, ProvisioningTimeout: 30 * time.Minute}},
		"a missing timeout":                               {noTimeout, Rules{StartupTimeout: 10 * time.Minute, NodeConditions: []ConditionRule{{Type: "Ready", Status: "False", Timeout: 0}}}},
		"resumed-at":                                      {build.Annotation(ResumedAtAnnotation, now.Format(time.RFC3339)), Rules{StartupTimeout: 10 * time.Minute, ResumedAt: now}},
		"the condition Paused":                            {pausedAt, Rules{StartupTimeout: 10 * time.Minute, Paused: new(metav1.Condition{Type: "Paused", Status: "False", LastTransitionTime: metav1.NewTime(now)})}},
		"the same, and it is handed over":                 {pausedHandedOver, Rules{StartupTimeout: 10 * time.Minute}},
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

func TestProvisioningTimeout(t *testing.T) {
	for value, want := range map[string]time.Duration{"30m": 30 * time.Minute, "1h30m": 90 * time.Minute, "0": 0, "0s": 0, "1ns": 1} {
		if got, err := ProvisioningTimeout(build.MachineHealthCheck("ns", "mhc", build.Annotation(ProvisioningTimeoutAnnotation, value))); got != want || err != nil {
			t.Errorf("%q gives %s, %v; want %s", value, got, err, want)
		}
	}
	for _, value := range []string{"", "30", "half an hour", "-1s", "1d", "99999999h"} {
		mhc := build.MachineHealthCheck("ns", "mhc", build.Annotation(ProvisioningTimeoutAnnotation, value))
		if got, err := ProvisioningTimeout(mhc); err == nil {
			t.Errorf("%q gives %s, want an error", value, got)
		}
		if got := RulesOf(mhc).ProvisioningTimeout; got != 0 {
			t.Errorf("%q is the rule %s, want it to count as absent", value, got)
		}
	}
}
