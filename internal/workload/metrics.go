package workload

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/internal/metrics"
)

var reachable = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "sickbay_workload_cluster_reachable",
	Help: "1 if the Nodes of a workload cluster could be read when they were needed last, 0 if not.",
}, []string{"namespace", "cluster"})

var unreadableSince = metrics.NewGauge("sickbay_workload_cluster_unreadable_timestamp_seconds",
	"Unix time since when the Nodes of a workload cluster cannot be read.", "namespace", "cluster")

func init() { ctrlmetrics.Registry.MustRegister(reachable) }

// Metrics shows which clusters cannot be read.
func (c *Clusters) Metrics(_ context.Context, s *metrics.Samples) {
	c.failing.Range(func(key, since any) bool {
		cluster := key.(client.ObjectKey)
		s.SetTime(unreadableSince, since.(time.Time), cluster.Namespace, cluster.Name)
		return true
	})
}

func measure(cluster client.ObjectKey, ok bool) {
	value := 0.0
	if ok {
		value = 1
	}
	reachable.WithLabelValues(cluster.Namespace, cluster.Name).Set(value)
}
