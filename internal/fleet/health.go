package fleet

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// judge adds what the verdict on each machine depends on. If something cannot be read from here, the stored verdict counts.
func (l *look) judge(ctx context.Context) {
	for _, m := range l.facts.Machines {
		cluster := l.clusters[mhcspec.ClusterOf(m.Machine)]
		if m.Check == nil || cluster == nil {
			continue
		}
		facts, err := l.Health.CachedFacts(ctx, m.Machine, m.Check.MachineHealthCheck, cluster)
		if err != nil {
			continue
		}
		if facts.Node.State == verdict.NodeUnreadable {
			l.unreadable[mhcspec.ClusterOf(m.Machine)] = facts.Node.Cause
		}
		m.Health = &facts
	}
}

// lostSince returns since when Cluster API, too, cannot reach a cluster; zero if it can.
func lostSince(cluster *clusterv1.Cluster) time.Time {
	probe := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterRemoteConnectionProbeCondition)
	if probe == nil || probe.Status != metav1.ConditionFalse {
		return time.Time{}
	}
	return probe.LastTransitionTime.Time
}
