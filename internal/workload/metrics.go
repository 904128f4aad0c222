package workload

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/metrics"
)

var (
	reachable = metrics.NewGauge("sickbay_workload_cluster_reachable",
		"1 if Sickbay could read the Nodes of a workload cluster when it last needed them, 0 if not.", "namespace", "cluster")
	unreadableSince = metrics.NewGauge("sickbay_workload_cluster_unreadable_timestamp_seconds",
		"Unix time at which the Nodes of a workload cluster became unreadable.", "namespace", "cluster")
)

// Metrics shows which clusters can be read. It shows nothing for a Cluster that is gone: not every controller calls Forget, and one that
// still works on a machine of the cluster may read it again.
func (c *Clusters) Metrics(ctx context.Context, s *metrics.Samples) {
	c.readable.Range(func(key, readable any) bool {
		cluster := key.(client.ObjectKey)
		if c.gone(ctx, cluster) {
			c.Forget(cluster)
			return true
		}
		if readable.(bool) {
			s.Set(reachable, 1, cluster.Namespace, cluster.Name)
			return true
		}
		s.Set(reachable, 0, cluster.Namespace, cluster.Name)
		if since, fails := c.failingSince(cluster); fails {
			s.SetTime(unreadableSince, since, cluster.Namespace, cluster.Name)
		}
		return true
	})
}

// Unread reports whether somebody tried to read the Nodes of a cluster and failed.
func (c *Clusters) Unread(cluster client.ObjectKey) bool {
	readable, asked := c.readable.Load(cluster)
	return asked && !readable.(bool)
}

func (c *Clusters) gone(ctx context.Context, cluster client.ObjectKey) bool {
	return c.Management != nil && apierrors.IsNotFound(c.Management.Get(ctx, cluster, &clusterv1.Cluster{}))
}
