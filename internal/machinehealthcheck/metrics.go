package machinehealthcheck

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
)

const (
	labelNamespace = "namespace"
	labelName      = "machinehealthcheck"
)

var (
	machinesGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_machines", Help: "Machines by verdict and by the check that led to it.",
	}, []string{labelNamespace, labelName, "verdict", "check"})
	shortCircuitGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_short_circuit", Help: "1 while a MachineHealthCheck has sick machines and does not allow their remediation.",
	}, []string{labelNamespace, labelName})
	pausedGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_paused", Help: "1 while a MachineHealthCheck or its Cluster is paused.",
	}, []string{labelNamespace, labelName})
)

func init() {
	metrics.Registry.MustRegister(machinesGauge, shortCircuitGauge, pausedGauge)
}

// measure shows a decision in the metrics.
func measure(f admission.Facts, d admission.Decision) {
	key := client.ObjectKeyFromObject(f.MachineHealthCheck)
	pausedGauge.WithLabelValues(key.Namespace, key.Name).Set(number(len(d.Paused) > 0))
	if len(d.Paused) > 0 {
		return
	}
	shortCircuitGauge.WithLabelValues(key.Namespace, key.Name).Set(number(!d.Allowed && d.Counts.Sick > 0))
	byVerdict := map[[2]string]float64{}
	for _, target := range f.Targets {
		if v := target.Verdict(); v != nil {
			byVerdict[[2]string{string(v.Status), v.Reason}]++
		}
	}
	machinesGauge.DeletePartialMatch(prometheus.Labels{labelNamespace: key.Namespace, labelName: key.Name})
	for verdict, n := range byVerdict {
		machinesGauge.WithLabelValues(key.Namespace, key.Name, verdict[0], verdict[1]).Set(n)
	}
}

// forgetMetrics removes what was shown for a MachineHealthCheck that is gone.
func forgetMetrics(key client.ObjectKey) {
	labels := prometheus.Labels{labelNamespace: key.Namespace, labelName: key.Name}
	for _, gauge := range []*prometheus.GaugeVec{machinesGauge, shortCircuitGauge, pausedGauge} {
		gauge.DeletePartialMatch(labels)
	}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
