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
		Name: "sickbay_remediations", Help: "Open remediations by the MachineHealthCheck that admitted them, phase and reason.",
	}, []string{"namespace", "machinehealthcheck", "phase", "reason"})
	remediationsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_remediations_total", Help: "Attempts by action and by what came of them.",
	}, []string{"action", "outcome"})
)

func init() { metrics.Registry.MustRegister(remediationsGauge, remediationsTotal) }

// outcomeStarted counts attempts that were carried out; the other outcomes are the results of attempts.
const outcomeStarted = "Started"

// series are the labels of the gauge, in its order.
type series [4]string

func seriesOf(r *v1alpha1.MachineRemediation) series {
	return series{r.Namespace, r.Spec.HealthCheckRef.Name, string(r.Status.Phase), progressOf(r).reason}
}

// shown remembers how each record is counted in the gauge, and how many are in each of its series.
var shown = struct {
	sync.Mutex
	as    map[client.ObjectKey]series
	count map[series]int
}{as: map[client.ObjectKey]series{}, count: map[series]int{}}

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
	shown.Lock()
	defer shown.Unlock()
	before, counted := shown.as[key]
	now := seriesOf(r)
	if counted && before == now {
		return
	}
	if counted {
		addShown(before, -1)
	}
	shown.as[key] = now
	addShown(now, 1)
}

// forgetMetrics takes a record out of the gauge.
func forgetMetrics(key client.ObjectKey) {
	shown.Lock()
	defer shown.Unlock()
	if before, ok := shown.as[key]; ok {
		addShown(before, -1)
		delete(shown.as, key)
	}
}

// addShown changes how many records are in a series, which goes with the last of them. The caller has the lock.
func addShown(of series, n int) {
	shown.count[of] += n
	if shown.count[of] == 0 {
		delete(shown.count, of)
		remediationsGauge.DeleteLabelValues(of[:]...)
		return
	}
	remediationsGauge.WithLabelValues(of[:]...).Set(float64(shown.count[of]))
}
