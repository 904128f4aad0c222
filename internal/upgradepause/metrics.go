package upgradepause

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

var (
	checkLabels  = []string{"group", "namespace", "machinehealthcheck"}
	signalLabels = []string{"kind", "namespace", "name"}

	pausedGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_upgrade_paused", Help: "1 while Sickbay pauses a MachineHealthCheck for an upgrade.",
	}, checkLabels)
	pausedSinceGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_upgrade_paused_timestamp_seconds", Help: "Unix time at which Sickbay paused a MachineHealthCheck for an upgrade.",
	}, checkLabels)
	overlongGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_upgrade_pause_too_long", Help: "1 while a pause for an upgrade is longer than --max-upgrade-pause-warning, or what it waits for is stuck.",
	}, checkLabels)
	upgradingGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_upgrade_in_progress", Help: "1 while a ClusterVersion, a MachineConfigPool or a Cluster is being upgraded.",
	}, signalLabels)
	readableGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_upgrade_signal_readable", Help: "0 while Sickbay cannot tell whether a ClusterVersion, a MachineConfigPool or a Cluster is being upgraded, and so leaves MachineHealthChecks as they are.",
	}, signalLabels)
)

func init() {
	ctrlmetrics.Registry.MustRegister(pausedGauge, pausedSinceGauge, overlongGauge, upgradingGauge, readableGauge)
}

func measureCheck(gvk schema.GroupVersionKind, key client.ObjectKey, d pause.Decision) {
	labels := []string{gvk.Group, key.Namespace, key.Name}
	pausedGauge.WithLabelValues(labels...).Set(metrics.Bool(d.Paused))
	overlongGauge.WithLabelValues(labels...).Set(metrics.Bool(d.Overlong))
	if d.Paused {
		pausedSinceGauge.WithLabelValues(labels...).Set(float64(d.PausedAt.Unix()))
	} else {
		pausedSinceGauge.DeleteLabelValues(labels...)
	}
}

func forgetCheck(gvk schema.GroupVersionKind, key client.ObjectKey) {
	for _, gauge := range []*prometheus.GaugeVec{pausedGauge, pausedSinceGauge, overlongGauge} {
		gauge.DeleteLabelValues(gvk.Group, key.Namespace, key.Name)
	}
}

// measureSignal sets the metrics of a signal. If it cannot be read, the metric for the upgrade keeps its
// value.
func measureSignal(r pause.Reading) {
	labels := []string{r.Subject.Kind, r.Subject.Namespace, r.Subject.Name}
	if r.Off {
		readableGauge.DeleteLabelValues(labels...)
		upgradingGauge.DeleteLabelValues(labels...)
		return
	}
	readableGauge.WithLabelValues(labels...).Set(metrics.Bool(r.Err == nil))
	if r.Err == nil {
		upgradingGauge.WithLabelValues(labels...).Set(metrics.Bool(pause.Going(r.Upgrades)))
	}
}
