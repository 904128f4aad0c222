package reboot

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

var (
	rebootsGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_reboots", Help: "Power cycles that have not ended, by phase.",
	}, []string{"namespace", "phase"})
	hostOffSince = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "sickbay_reboot_host_off_timestamp_seconds",
		Help: "For each host that a power cycle has switched off, and that is not on again: Unix time since when it is proven off. Name is that of the RebootRemediation.",
	}, []string{"namespace", "name", "host", "phase"})
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

func init() {
	metrics.Registry.MustRegister(rebootsGauge, hostOffSince, endsTotal, fencingSeconds, keysLostTotal)
}

// shown is how a RebootRemediation is counted in the gauges.
type shown struct {
	phase v1alpha1.Phase
	host  string
	// offSince is Unix time; 0 if its host is not off.
	offSince int64
}

// showing remembers that for each of them.
var showing = struct {
	sync.Mutex
	as map[client.ObjectKey]shown
}{as: map[client.ObjectKey]shown{}}

// show counts a cycle by its phase, and one that has ended not at all.
func show(request *v1alpha1.RebootRemediation) {
	status, now := request.Status, shown{}
	if !status.Phase.Ended() {
		now.phase = status.Phase
	}
	if status.PoweredOffAt != nil && status.Host != nil && cycle.Off(now.phase) {
		now.host, now.offSince = status.Host.Name, status.PoweredOffAt.Unix()
	}
	reshow(client.ObjectKeyFromObject(request), now)
}

// forgetMetrics takes one that is gone out of the gauges.
func forgetMetrics(key client.ObjectKey) { reshow(key, shown{}) }

func reshow(key client.ObjectKey, now shown) {
	showing.Lock()
	defer showing.Unlock()
	before := showing.as[key]
	if before == now {
		return
	}
	if before.phase != "" {
		rebootsGauge.WithLabelValues(key.Namespace, string(before.phase)).Dec()
	}
	if before.host != "" {
		hostOffSince.DeleteLabelValues(key.Namespace, key.Name, before.host, string(before.phase))
	}
	delete(showing.as, key)
	if now.phase == "" {
		return
	}
	showing.as[key] = now
	rebootsGauge.WithLabelValues(key.Namespace, string(now.phase)).Inc()
	if now.host != "" {
		hostOffSince.WithLabelValues(key.Namespace, key.Name, now.host, string(now.phase)).Set(float64(now.offSince))
	}
}

// measure counts what is new in a record.
func measure(before, now v1alpha1.RebootRemediationStatus) {
	keysLostTotal.Add(float64(now.KeysLost - before.KeysLost))
	if at, since := now.PoweredOffAt, now.PendingRebootSince; at != nil && since != nil && !at.Equal(before.PoweredOffAt) {
		fencingSeconds.Observe(at.Sub(since.Time).Seconds())
	}
	if now.Phase.Ended() && !before.Phase.Ended() {
		endsTotal.WithLabelValues(string(now.Phase), string(now.Outcome)).Inc()
	}
}
