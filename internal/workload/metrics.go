package workload

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var reachable = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "sickbay_workload_cluster_reachable",
	Help: "1 if the Nodes of a workload cluster could be read when they were needed last, 0 if not.",
}, []string{"namespace", "cluster"})

func init() { metrics.Registry.MustRegister(reachable) }

func measure(cluster client.ObjectKey, ok bool) {
	value := 0.0
	if ok {
		value = 1
	}
	reachable.WithLabelValues(cluster.Namespace, cluster.Name).Set(value)
}
