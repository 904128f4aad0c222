package remediation

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// Marks that other systems leave on a Node while they work on it.
const (
	// releaseTaint is the taint with which NVSentinel hands a Node to exactly one other system.
	releaseTaint = "nvsentinel.dgxc.nvidia.com/external-remediation"
	// nvsentinelState is the label with NVSentinel's progress on a Node.
	nvsentinelState = "dgxc.nvidia.com/nvsentinel-state"
)

// workOfOthers names the other system that works on a Node; empty if none does.
func workOfOthers(node *corev1.Node) string {
	if node == nil {
		return ""
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == releaseTaint {
			return "NVSentinel has given the Node to " + taint.Value
		}
	}
	switch state := node.Labels[nvsentinelState]; state {
	case "draining", "drain-succeeded", "remediating":
		return "NVSentinel works on the Node: " + state
	}
	for _, c := range node.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == "MaintenanceInProgress" || c.Type == "DrainInProgress") {
			return ownwrites.Note("The Node has the condition " + string(c.Type) + ": " + c.Message)
		}
	}
	return ""
}
