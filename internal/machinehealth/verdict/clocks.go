package verdict

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TrueSince returns since when a condition has been True; zero if it is not.
func TrueSince(conditions []metav1.Condition, conditionType string) time.Time {
	c := meta.FindStatusCondition(conditions, conditionType)
	if c == nil || c.Status != metav1.ConditionTrue {
		return time.Time{}
	}
	return c.LastTransitionTime.Time
}

// startedAt returns when the startup clock of a Machine started: a Machine cannot come up
// before the infrastructure and the control plane that it needs.
func (f *Facts) startedAt() time.Time {
	return healthcheck.Latest(f.Machine.CreationTimestamp.Time, f.Rules.ResumedAt,
		TrueSince(f.Cluster.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition),
		TrueSince(f.Cluster.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition),
		TrueSince(f.Machine.Status.Conditions, clusterv1.MachineInfrastructureReadyCondition))
}

// countsSince returns when a condition began to count: at its last transition, but not
// before the end of the last pause. A condition without a transition time counts from the
// creation of its object.
func (f *Facts) countsSince(lastTransition, created time.Time) time.Time {
	if lastTransition.IsZero() {
		lastTransition = created
	}
	return healthcheck.Latest(lastTransition, f.Rules.ResumedAt)
}

// clusterUpSince returns since when a Cluster has been up, for this Machine: from then on, findings count.
func (f *Facts) clusterUpSince() time.Time {
	since := TrueSince(f.Cluster.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition)
	if isControlPlane(f.Machine) {
		return since
	}
	return healthcheck.Latest(since, TrueSince(f.Cluster.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition))
}
