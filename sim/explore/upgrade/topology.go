package upgrade

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// topology returns what can happen to the version of the Cluster's topology: it changes, and some time later the rollout is over.
func (s Scene) topology() []Act {
	if cluster := s.Find(kinds.Cluster, kinds.ClusterName).(*clusterv1.Cluster); Whole(cluster) {
		return []Act{{"the topology has its version", s.topologyDone}}
	}
	return []Act{{"the topology gets another version", func() {
		spec(s, kinds.Cluster, kinds.ClusterName, func(c *clusterv1.Cluster) {
			c.Spec.Topology.ClassRef.Name, c.Spec.Topology.Version = "class", after(s.workers().Spec.Template.Spec.Version)
		})
		s.topologySays(metav1.ConditionFalse, clusterv1.ClusterTopologyReconciledClusterUpgradingReason)
	}}}
}

// Whole reports whether a Cluster with a topology says that it upgrades.
func Whole(cluster *clusterv1.Cluster) bool {
	return meta.IsStatusConditionFalse(cluster.Status.Conditions, clusterv1.ClusterTopologyReconciledCondition)
}

func (s Scene) topologyDone() {
	s.topologySays(metav1.ConditionTrue, clusterv1.ClusterTopologyReconcileSucceededReason)
}

func (s Scene) topologySays(is metav1.ConditionStatus, reason string) {
	says := metav1.Condition{Type: clusterv1.ClusterTopologyReconciledCondition, Status: is, Reason: reason, LastTransitionTime: metav1.NewTime(s.Now)}
	status(s, kinds.Cluster, kinds.ClusterName, func(c *clusterv1.Cluster) { meta.SetStatusCondition(&c.Status.Conditions, says) })
}

// wishes returns the ways in which a person says whether the Cluster is to be paused. One is not valid.
func (s Scene) wishes() []Act {
	var acts []Act
	for _, wish := range []string{"true", "false", "maybe"} {
		if s.Find(kinds.Cluster, kinds.ClusterName).GetAnnotations()[mhcspec.PauseOnUpgradeAnnotation] != wish {
			acts = append(acts, Act{"a person sets the wish of the Cluster to " + wish, func() { s.wish(wish) }})
		}
	}
	return acts
}

func (s Scene) wish(value string) {
	s.annotate(kinds.Cluster, kinds.ClusterName, func(all map[string]string) { all[mhcspec.PauseOnUpgradeAnnotation] = value })
}
