package machinehealth

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// relevantMachineChange drops events that cannot change a verdict, such as those of our own writes.
func relevantMachineChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Machine), e.ObjectNew.(*clusterv1.Machine)
		return mhcspec.ChangedOutsideStatus(before, after) ||
			before.Status.NodeRef != after.Status.NodeRef ||
			before.Status.Phase != after.Status.Phase ||
			verdict.FailureOf(before) != verdict.FailureOf(after) ||
			!slices.EqualFunc(others(before.Status.Conditions), others(after.Status.Conditions), sameState) ||
			verdictTampered(before, after)
	}}
}

// verdictTampered reports whether the verdict has disappeared or changed, perhaps not by our own write. Looking once more costs little.
func verdictTampered(before, after *clusterv1.Machine) bool {
	return meta.IsStatusConditionTrue(before.Status.Conditions, verdict.ConditionType) != meta.IsStatusConditionTrue(after.Status.Conditions, verdict.ConditionType) ||
		len(before.Status.Conditions) > len(after.Status.Conditions)
}

// others returns the conditions that rules may refer to.
func others(conditions []metav1.Condition) []metav1.Condition {
	kept := make([]metav1.Condition, 0, len(conditions))
	for _, c := range conditions {
		if c.Type != verdict.ConditionType && c.Type != clusterv1.MachineOwnerRemediatedCondition {
			kept = append(kept, c)
		}
	}
	return kept
}

func sameState(a, b metav1.Condition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.LastTransitionTime.Equal(&b.LastTransitionTime) &&
		(a.Type != verdict.HostConditionType || a.Message == b.Message) // the verdict quotes the host's error
}

func relevantClusterChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Cluster), e.ObjectNew.(*clusterv1.Cluster)
		for _, conditionType := range []string{clusterv1.ClusterInfrastructureReadyCondition, clusterv1.ClusterControlPlaneInitializedCondition} {
			if !verdict.TrueSince(before.Status.Conditions, conditionType).Equal(verdict.TrueSince(after.Status.Conditions, conditionType)) {
				return true
			}
		}
		return !equality.Semantic.DeepEqual(before.Spec.Paused, after.Spec.Paused)
	}}
}

// RelevantCheckChange keeps what selection and rules depend on, and the end of a pause: nobody has watched a detector or a host before it. A cache may
// have shown neither the pause nor the annotation that began it.
func RelevantCheckChange() predicate.Predicate {
	resumed := func(before, after *metav1.Condition) bool {
		return before != nil && after != nil && after.Status == metav1.ConditionFalse && !before.LastTransitionTime.Equal(&after.LastTransitionTime)
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.MachineHealthCheck), e.ObjectNew.(*clusterv1.MachineHealthCheck)
		return mhcspec.ChangedOutsideStatus(before, after) ||
			resumed(meta.FindStatusCondition(before.Status.Conditions, clusterv1.PausedCondition), meta.FindStatusCondition(after.Status.Conditions, clusterv1.PausedCondition))
	}}
}
