package rules_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// checks call a Node with Ready=Unknown or GpuMemWatch=True sick, and a Machine with Disk=False.
var checks = mhcspec.Rules{
	NodeConditions:    []mhcspec.ConditionRule{{Type: "Ready", Status: "Unknown", Timeout: time.Hour}, {Type: "GpuMemWatch", Status: "True"}},
	MachineConditions: []mhcspec.ConditionRule{{Type: "Disk", Status: "False"}},
}

func condition(conditionType, status, reason, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionStatus(status), Reason: reason, Message: message}
}

func machineWith(conditions ...metav1.Condition) *clusterv1.Machine {
	m := build.Machine("default", "m")
	m.Status.Conditions = conditions
	return m
}

func nodeWith(conditions ...corev1.NodeCondition) *corev1.Node {
	n := build.Node("n")
	n.Status.Conditions = conditions
	return n
}

func judgedAs(reason, message string) metav1.Condition {
	return condition(verdict.ConditionType, "False", reason, message)
}

func TestFindings(t *testing.T) {
	lost := corev1.NodeCondition{Type: "Ready", Status: "Unknown", Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."}
	memory := corev1.NodeCondition{Type: "GpuMemWatch", Status: "True", Reason: "GpuMemWatchIsNotHealthy", Message: "GPU:0 Recommended Action=RESTART_VM;"}
	passed := memory
	passed.Status = "False"
	found := []rules.Finding{
		{Source: "Node", Type: "Ready", Status: "Unknown", Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."},
		{Source: "Node", Type: "GpuMemWatch", Status: "True", Reason: "GpuMemWatchIsNotHealthy", Message: "GPU:0 Recommended Action=RESTART_VM;"},
	}
	sick := judgedAs("ReadyUnhealthy", "Node condition Ready is Unknown for more than 1h0m0s")
	noNode := judgedAs("NodeNotFound", "Node not found")
	tests := map[string]struct {
		machine *clusterv1.Machine
		node    *corev1.Node
		want    []rules.Finding
	}{
		"conditions that match":                {machineWith(sick), nodeWith(lost, memory), found},
		"whatever their timeout is":            {machineWith(), nodeWith(lost), found[:1]},
		"what has passed is none":              {machineWith(sick), nodeWith(lost, passed), found[:1]},
		"another type is none":                 {machineWith(sick), nodeWith(lost, corev1.NodeCondition{Type: "DiskPressure", Status: "True"}), found[:1]},
		"of the Machine, first":                {machineWith(condition("Disk", "False", "Full", "no space"), sick), nodeWith(lost), []rules.Finding{{Source: "Machine", Type: "Disk", Status: "False", Reason: "Full", Message: "no space"}, found[0]}},
		"a type of the other's":                {machineWith(condition("Ready", "Unknown", "", ""), sick), nodeWith(corev1.NodeCondition{Type: "Disk", Status: "False"}), nil},
		"no Node":                              {machineWith(noNode), nil, []rules.Finding{{Source: "Machine", Type: "HealthCheckSucceeded", Status: "False", Reason: "NodeNotFound", Message: "Node not found"}}},
		"the verdict before the conditions":    {machineWith(condition("Disk", "False", "Full", "no space"), noNode), nil, []rules.Finding{{Source: "Machine", Type: "HealthCheckSucceeded", Status: "False", Reason: "NodeNotFound", Message: "Node not found"}, {Source: "Machine", Type: "Disk", Status: "False", Reason: "Full", Message: "no space"}}},
		"a verdict that is undecided is none":  {machineWith(condition(verdict.ConditionType, "Unknown", "WaitingForNodeRef", "")), nil, nil},
		"a verdict that is healthy is none":    {machineWith(condition(verdict.ConditionType, "True", "Succeeded", "")), nodeWith(), nil},
		"no verdict yet":                       {machineWith(), nil, nil},
		"a verdict about a condition is cause": {machineWith(sick), nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := rules.InputOf(tt.machine, tt.node, checks, meta.FindStatusCondition(tt.machine.Status.Conditions, verdict.ConditionType), nil).Findings
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMachineOf(t *testing.T) {
	set := build.MachineSet("default", "md-0")
	worker := build.Machine("default", "w", build.OwnedBy(set), build.MachineFunc(func(m *clusterv1.Machine) {
		m.Annotations = map[string]string{"a": "b"}
		m.Spec.FailureDomain = "z1"
	}))
	moved := worker.DeepCopy()
	moved.Status.FailureDomain = "z2"
	attempts := []v1alpha1.RemediationAttempt{{Step: "reboot", Result: v1alpha1.ResultTimedOut}, {Step: "replace"}}
	want := rules.Input{
		Machine: rules.Machine{
			Name: "w", Labels: worker.Labels, Annotations: map[string]string{"a": "b"}, FailureDomain: "z1",
			Owner: rules.Owner{Kind: "MachineSet", Name: "md-0"},
		},
		Attempts: []rules.Attempt{{Step: "reboot", Result: "TimedOut"}, {Step: "replace"}},
	}
	if diff := cmp.Diff(want, rules.InputOf(worker, nil, checks, nil, attempts)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := rules.InputOf(moved, nil, checks, nil, nil).Machine.FailureDomain; got != "z2" {
		t.Errorf("a machine that came up elsewhere is in %q", got)
	}
	alone := rules.InputOf(build.Machine("default", "cp", build.ControlPlane()), nil, checks, nil, nil).Machine
	if !alone.ControlPlane || alone.Owner != (rules.Owner{}) {
		t.Errorf("got %+v", alone)
	}
}
