package fleet

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// confirmAtMost is how many Nodes a look reads live. The manager finds out within moments which Nodes are gone, so there are hardly ever more.
const confirmAtMost = 20

// judge adds what the verdict on each machine depends on. If something cannot be read from here, the stored verdict counts.
func (l *look) judge(ctx context.Context) {
	for _, m := range l.facts.Machines {
		cluster := l.clusters[mhcspec.ClusterOf(m.Machine)]
		if m.Check == nil || cluster == nil {
			continue
		}
		facts, err := l.health(ctx, m, cluster)
		if err != nil {
			continue
		}
		if facts.Node.State == verdict.NodeUnreadable {
			l.unreadable[mhcspec.ClusterOf(m.Machine)] = facts.Node.Cause
		}
		m.Health = &facts
	}
}

// health reads what the verdict on a machine depends on. A Node that is missing from the cache is no reason to call its machine sick: the
// cache may not show the Node yet, or no longer. The manager reads it live then, and so does a look, unless the machine is called so already.
func (l *look) health(ctx context.Context, m *explain.Machine, cluster *clusterv1.Cluster) (verdict.Facts, error) {
	first, others := m.Judges()
	facts, err := l.Health.CachedFacts(ctx, m.Machine, first, cluster, others...)
	if err != nil || facts.Node.State != verdict.NodeGone || goneAlready(m.Machine) || l.confirmed == confirmAtMost {
		return facts, err
	}
	l.confirmed++
	return l.Health.Facts(ctx, m.Machine, first, cluster, false, others...)
}

// goneAlready reports whether it changes nothing that the Node of a Machine is gone.
func goneAlready(machine *clusterv1.Machine) bool {
	return !machine.DeletionTimestamp.IsZero() || verdict.Of(machine).Reason == verdict.ReasonNodeNotFound
}

// lostSince returns since when Cluster API, too, cannot reach a cluster; zero if it can.
func lostSince(cluster *clusterv1.Cluster) time.Time {
	probe := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterRemoteConnectionProbeCondition)
	if probe == nil || probe.Status != metav1.ConditionFalse {
		return time.Time{}
	}
	return probe.LastTransitionTime.Time
}
