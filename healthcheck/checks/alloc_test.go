package checks_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/expect"
)

// sink keeps the compiler from optimizing a measured call away.
var sink healthcheck.Result

// nodeOf returns a Node with the conditions that a kubelet writes.
func nodeOf(ready corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		{Type: corev1.NodeReady, Status: ready, Reason: "KubeletReady", Message: "kubelet is posting ready status"},
	}}}
}

// TestHealthyNodeAllocatesNothing: the predicate of a watch judges each heartbeat twice.
func TestHealthyNodeAllocatesNothing(t *testing.T) {
	node := nodeOf(corev1.ConditionTrue)
	expect.NoAllocation(t, func() { sink = checks.Node(node) })
}

func BenchmarkNode(b *testing.B) {
	for name, node := range map[string]*corev1.Node{"healthy": nodeOf(corev1.ConditionTrue), "not ready": nodeOf(corev1.ConditionUnknown)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = checks.Node(node)
			}
		})
	}
}
