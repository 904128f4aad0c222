package fault

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// wellNode is the conditions that a kubelet reports, with their values on a healthy Node.
var wellNode = []corev1.NodeCondition{
	{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"},
	{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory"},
	{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure"},
	{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID"},
}

// setCondition sets a condition. It keeps the time of the last transition unless the status
// changes or since is given.
func setCondition(node *corev1.Node, condition corev1.NodeCondition, since time.Time, now metav1.Time) {
	condition.LastHeartbeatTime = now
	condition.LastTransitionTime = now
	index := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == condition.Type })
	if index >= 0 && node.Status.Conditions[index].Status == condition.Status {
		condition.LastTransitionTime = node.Status.Conditions[index].LastTransitionTime
	}
	if !since.IsZero() {
		condition.LastTransitionTime = metav1.NewTime(since)
	}
	if index < 0 {
		node.Status.Conditions = append(node.Status.Conditions, condition)
		return
	}
	node.Status.Conditions[index] = condition
}
