package reboot

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

var (
	rebootsGauge = metrics.NewGauge("sickbay_reboots", "Power cycles that have not ended, by phase.", "namespace", "phase")
	hostOffSince = metrics.NewGauge("sickbay_reboot_host_off_timestamp_seconds",
		"Unix time at which a host was proven off, for each host that a power cycle has switched off and that is not on again. The label name is the RebootRemediation's name.",
		"namespace", "name", "host", "phase")
	endsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_reboots_total", Help: "Power cycles that have ended, by phase and reason.",
	}, []string{"phase", "reason"})
	fencingSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "sickbay_reboot_power_off_seconds", Help: "Time from when Sickbay asks for a host to be off until it is proven off.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 12),
	})
	keysLostTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "sickbay_reboot_keys_lost_total", Help: "Number of times somebody removed the annotation with which Sickbay keeps a host off.",
	})
)

func init() {
	ctrlmetrics.Registry.MustRegister(endsTotal, fencingSeconds, keysLostTotal)
	// Prometheus sees no increase in a counter that first appears with the value 1.
	for _, end := range cycle.Ends() {
		endsTotal.WithLabelValues(string(end.Phase), string(end.Outcome))
	}
}

// Metrics counts the cycles that have not ended, and names the hosts that they have switched off. It counts all kinds of Machines,
// except those that another manager looks after.
func (r *Reconciler) Metrics(ctx context.Context, s *metrics.Samples) {
	cycles, err := cyclesIn(ctx, r.reads().cached, "")
	if err != nil {
		ctrl.Log.V(1).Info("Power cycles are left out of the metrics", "error", err.Error())
		return
	}
	for _, request := range cycles {
		if !r.foreign(request) {
			show(s, request)
		}
	}
}

// show counts a cycle by its phase, unless it has ended.
func show(s *metrics.Samples, request *v1alpha1.RebootRemediation) {
	status := &request.Status
	phase := string(status.Phase)
	if phase == "" || status.Phase.Ended() {
		return
	}
	s.Add(rebootsGauge, 1, request.Namespace, phase)
	if status.PoweredOffAt != nil && status.Host != nil && cycle.Off(status.Phase) {
		s.SetTime(hostOffSince, status.PoweredOffAt.Time, request.Namespace, request.Name, status.Host.Name, phase)
	}
}

// measure updates the counters by what has changed in a status.
func measure(before, now v1alpha1.RebootRemediationStatus) {
	keysLostTotal.Add(float64(now.KeysLost - before.KeysLost))
	if at, since := now.PoweredOffAt, now.PendingRebootSince; at != nil && since != nil && !at.Equal(before.PoweredOffAt) {
		fencingSeconds.Observe(at.Sub(since.Time).Seconds())
	}
	if now.Phase.Ended() && !before.Phase.Ended() {
		endsTotal.WithLabelValues(string(now.Phase), string(now.Outcome)).Inc()
	}
}
