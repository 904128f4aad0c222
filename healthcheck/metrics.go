package healthcheck

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// The metrics of all registrations of a program, in the registry of controller-runtime.
// None has a label for the object: there may be too many.
var (
	checkSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "sickbay_check_duration_seconds", Help: "Duration of a check, including its wait for a free slot.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 8),
	}, []string{"registration", "condition", "check"})
	checkResults = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_check_results_total", Help: "Results of checks, by status.",
	}, []string{"registration", "condition", "check", "status"})
	transitionsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_condition_transitions_total", Help: "Changes of a condition's status; the status of a missing condition is empty.",
	}, []string{"registration", "condition", "from", "to"})
)

func init() {
	metrics.Registry.MustRegister(checkSeconds, checkResults, transitionsTotal, conditionGauges)
}
