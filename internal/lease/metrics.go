package lease

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	waitsGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_manager_waits",
		Help: "1 while this manager waits for the holder of a lease before it leads. Covered is false if the holder does only a part of this manager's work, so that nobody does the rest.",
	}, []string{"lease_namespace", "lease", "covered"})
	overlapsGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_manager_overlaps",
		Help: "1 for each lease whose holder works on the same objects as this manager, at the same time.",
	}, []string{"lease_namespace", "lease"})
)

func init() { metrics.Registry.MustRegister(waitsGauge, overlapsGauge) }
