package targets

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// The metrics of all Clients of a program. None has a label for the target: there may be too many.
var (
	clientsNow = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "sickbay_targets", Help: "Cached clients of target clusters.",
	})
	evictedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_targets_evicted_total", Help: "Clients of target clusters that were dropped, by the reason.",
	}, []string{"reason"})
)

// Why a client was dropped: it was unused for the idle time, there were more than may be kept, or the credential changed.
const (
	evictedIdle    = "Idle"
	evictedFull    = "Full"
	evictedChanged = "Changed"
)

// register adds the metrics to the registry of controller-runtime at the first use, so a program without targets shows none.
var register = sync.OnceFunc(func() {
	metrics.Registry.MustRegister(clientsNow, evictedTotal)
	for _, reason := range []string{evictedIdle, evictedFull, evictedChanged} {
		evictedTotal.WithLabelValues(reason)
	}
})
