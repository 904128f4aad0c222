package machinehealth

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
)

// detectionDelay is the time from when a Machine counts as unhealthy until its verdict is
// stored.
var detectionDelay = prometheus.NewHistogram(prometheus.HistogramOpts{
	Name:    "sickbay_detection_delay_seconds",
	Help:    "Time from the deadline at which a machine counts as unhealthy to its stored condition.",
	Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300},
})

func init() { metrics.Registry.MustRegister(detectionDelay) }

// measureDelay measures a transition to False. It ignores a Machine without an earlier verdict, or whose Node could not be read:
// it may have been sick long before anybody could know it.
func measureDelay(transition healthcheck.Transition) {
	deadline, from := transition.Result.Deadline, transition.From
	if deadline.IsZero() || from.Status == "" || from.Reason == verdict.ReasonNodeUnavailable {
		return
	}
	detectionDelay.Observe(max(0, transition.At.Sub(deadline).Seconds()))
}
