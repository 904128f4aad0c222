package intake

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var unsolved = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "sickbay_external_remediation_unsolved",
	Help: "1 for each machine of OpenShift whose health check waits for an external remediation, and for which Sickbay does nothing more.",
}, []string{"namespace", "machine"})

func init() { metrics.Registry.MustRegister(unsolved) }

func measure(machine client.ObjectKey, stuck bool) {
	if stuck {
		unsolved.WithLabelValues(machine.Namespace, machine.Name).Set(1)
		return
	}
	unsolved.DeleteLabelValues(machine.Namespace, machine.Name)
}
