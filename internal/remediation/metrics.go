package remediation

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var (
	remediationsGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_remediations", Help: "Open remediations by phase and reason.",
	}, []string{"phase", "reason"})
	remediationsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_remediations_total", Help: "Attempts by action and by what came of them.",
	}, []string{"action", "outcome"})
)

func init() { metrics.Registry.MustRegister(remediationsGauge, remediationsTotal) }

// outcomeStarted counts attempts that were carried out; the other outcomes are the results of attempts.
const outcomeStarted = "Started"

// shown remembers how each record is counted in the gauge.
var shown = struct {
	sync.Mutex
	as map[client.ObjectKey][2]string
}{as: map[client.ObjectKey][2]string{}}

// measure counts what a write of a status has changed.
func measure(before, after *v1alpha1.MachineRemediation) {
	show(after)
	last := lastAttempt(after)
	if last == nil {
		return
	}
	action := "Unknown"
	for _, step := range after.Spec.Steps {
		if step.Name == last.Step {
			action = string(step.Action)
		}
	}
	if begun(before, last) {
		remediationsTotal.WithLabelValues(action, outcomeStarted).Inc()
	}
	if last.Result != "" && resultOf(before, last.Number) != last.Result {
		remediationsTotal.WithLabelValues(action, string(last.Result)).Inc()
	}
}

// show counts an open record by its phase, and one that has ended not at all.
func show(r *v1alpha1.MachineRemediation) {
	key := client.ObjectKeyFromObject(r)
	if r.Status.CompletionTime != nil || r.Status.Phase == "" {
		forgetMetrics(key)
		return
	}
	now := [2]string{string(r.Status.Phase), progressOf(r).reason}
	shown.Lock()
	defer shown.Unlock()
	if before, ok := shown.as[key]; ok {
		if before == now {
			return
		}
		remediationsGauge.WithLabelValues(before[0], before[1]).Dec()
	}
	shown.as[key] = now
	remediationsGauge.WithLabelValues(now[0], now[1]).Inc()
}

// forgetMetrics takes a record out of the gauge.
func forgetMetrics(key client.ObjectKey) {
	shown.Lock()
	defer shown.Unlock()
	if before, ok := shown.as[key]; ok {
		remediationsGauge.WithLabelValues(before[0], before[1]).Dec()
		delete(shown.as, key)
	}
}
