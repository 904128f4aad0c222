package build

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"
)

// ConditionOption sets a condition in the status of an object of any kind.
type ConditionOption metav1.Condition

// Condition sets a condition with its status since the given time. It replaces an earlier condition of the
// type.
func Condition(conditionType string, status metav1.ConditionStatus, reason string, since time.Time) ConditionOption {
	return ConditionOption{Type: conditionType, Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(since)}
}

// WithMessage returns the same condition with a message.
func (o ConditionOption) WithMessage(message string) ConditionOption {
	o.Message = message
	return o
}

func (o ConditionOption) apply(obj metav1.Object) {
	if node, ok := obj.(*corev1.Node); ok {
		o.onNode(node)
		return
	}
	of := obj.(conditions.Setter)
	all := of.GetConditions()
	meta.RemoveStatusCondition(&all, o.Type)
	of.SetConditions(append(all, metav1.Condition(o)))
}

func (o ConditionOption) onNode(n *corev1.Node) {
	n.Status.Conditions = slices.DeleteFunc(n.Status.Conditions,
		func(c corev1.NodeCondition) bool { return string(c.Type) == o.Type })
	n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
		Type:               corev1.NodeConditionType(o.Type),
		Status:             corev1.ConditionStatus(o.Status),
		Reason:             o.Reason,
		Message:            o.Message,
		LastHeartbeatTime:  o.LastTransitionTime,
		LastTransitionTime: o.LastTransitionTime,
	})
}

// Verdict sets the verdict that machinehealth gives since a time: the Node is well, is gone, or is not there yet.
func Verdict(status metav1.ConditionStatus, since time.Time) ConditionOption {
	reasons := map[metav1.ConditionStatus]string{
		metav1.ConditionTrue: "Succeeded", metav1.ConditionFalse: "NodeNotFound", metav1.ConditionUnknown: "WaitingForNodeRef",
	}
	return Condition("HealthCheckSucceeded", status, reasons[status], since)
}
