package targets

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// The metrics of all Clients of a program. None has a label for the target: there may be many.
var (
	clientsNow = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "sickbay_targets", Help: "Clients of target clusters that are kept now.",
	})
	evictedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_targets_evicted_total", Help: "Clients of target clusters that were dropped, by the reason.",
	}, []string{"reason"})
)

// Why a client is dropped: nobody has used it for the idle time, there were as many as may be kept, or the credential has
// changed.
const (
	evictedIdle    = "Idle"
	evictedFull    = "Full"
	evictedChanged = "Changed"
)

// register puts the metrics into the registry of controller-runtime, with the first use: a program without targets shows none.
var register = sync.OnceFunc(func() {
	metrics.Registry.MustRegister(clientsNow, evictedTotal)
	for _, reason := range []string{evictedIdle, evictedFull, evictedChanged} {
		evictedTotal.WithLabelValues(reason)
	}
})
