package reboot

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var (
	endsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_reboots_total", Help: "Power cycles that came to an end, by phase and by reason.",
	}, []string{"phase", "reason"})
	fencingSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "sickbay_reboot_power_off_seconds", Help: "Time from when a host is asked to be off until it is proven off.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 12),
	})
	keysLostTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "sickbay_reboot_keys_lost_total", Help: "How often somebody took from a host the annotation by which Sickbay holds it off.",
	})
)

func init() { metrics.Registry.MustRegister(endsTotal, fencingSeconds, keysLostTotal) }

// measure counts what is new in a record.
func measure(before, now v1alpha1.RebootRemediationStatus) {
	keysLostTotal.Add(float64(now.KeysLost - before.KeysLost))
	if at, since := now.PoweredOffAt, now.PendingRebootSince; at != nil && since != nil && !at.Equal(before.PoweredOffAt) {
		fencingSeconds.Observe(at.Sub(since.Time).Seconds())
	}
	if now.Phase.Ended() && !before.Phase.Ended() {
		reason := string(now.Phase)
		if c := meta.FindStatusCondition(now.Conditions, v1alpha1.ConditionSucceeded); c != nil {
			reason = c.Reason
		}
		endsTotal.WithLabelValues(string(now.Phase), reason).Inc()
	}
}
