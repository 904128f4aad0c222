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
func (l look) startedAt() time.Time {
	at := healthcheck.Latest(l.Machine.CreationTimestamp.Time, l.Rules.ResumedAt)
	for _, one := range l.starts() {
		at = healthcheck.Latest(at, past(TrueSince(one.of, one.condition), l.now))
	}
	return at
}

// apart is how far the clocks of two healthy processes may be apart.
const apart = time.Minute

// past returns a time that somebody else has written. One that is a little later than now is by a clock that is ahead. One that is much later is
// wrong: it is ignored, so that it delays nothing.
func past(at, now time.Time) time.Time {
	if at.Sub(now) > apart {
		return time.Time{}
	}
	return at
}

// countsSince returns when a condition began to count: at its last transition, but not
// before the end of the last pause. A condition without a transition time counts from the
// creation of its object, and one whose transition is far in the future from the first look at it.
func (l look) countsSince(lastTransition, created time.Time, timeout time.Duration) time.Time {
	switch {
	case lastTransition.IsZero():
		lastTransition = created
	case lastTransition.Sub(l.now) > apart:
		lastTransition = healthcheck.Latest(l.lookedSince(timeout), past(created, l.now))
	}
	return healthcheck.Latest(lastTransition, l.Rules.ResumedAt)
}

// lookedSince returns when a condition was first looked at, by the verdict that was stored for it: Unknown until its timeout has passed, False
// since.
func (l look) lookedSince(timeout time.Duration) time.Time {
	stored := meta.FindStatusCondition(l.Machine.Status.Conditions, ConditionType)
	switch {
	case stored == nil, stored.Status == metav1.ConditionTrue, stored.LastTransitionTime.After(l.now):
		return l.now
	case stored.Status == metav1.ConditionFalse:
		return stored.LastTransitionTime.Add(-timeout)
	}
	return stored.LastTransitionTime.Time
}

// clusterUpSince returns since when a Cluster has been up, for this Machine: from then on, findings count.
func (f *Facts) clusterUpSince() time.Time {
	since := TrueSince(f.Cluster.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition)
	if IsControlPlane(f.Machine) {
		return since
	}
	return healthcheck.Latest(since, TrueSince(f.Cluster.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition))
}
