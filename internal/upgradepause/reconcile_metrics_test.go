package upgradepause

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
)

// TestMetrics: metrics show what is paused, and for too long, and vanish with the object.
func TestMetrics(t *testing.T) {
	onEachKind(t, func(f *harness) {
		of := func(check, value string) string {
			return `group="` + f.Kind.Group + `",machinehealthcheck="` + check + `",namespace="NS"} ` + value
		}
		foreign, check := f.check("a", stored{keyPaused: ""}), f.check("b", nil)
		f.upgrading("A")
		f.reconcile(foreign)
		f.reconcile(check)
		f.wantSeries(pausedGauge, of("a", "0"), of("b", "1"))
		f.wantSeries(pausedSinceGauge, of("b", strconv.FormatFloat(float64(f.clock.Now().Unix()), 'g', -1, 64)))
		f.wantSeries(overlongGauge, of("a", "0"), of("b", "0"))

		f.pass(warnAfter)
		f.reconcile(foreign)
		f.reconcile(check)
		f.wantSeries(overlongGauge, of("a", "0"), of("b", "1"))
		f.restart(f.env.Client)
		f.reconcile(check)
		f.wantSeries(overlongGauge, of("a", "0"), of("b", "1"))

		f.remove(foreign)
		f.reconcile(foreign)
		f.upgrading()
		f.reconcile(check)
		f.wantSeries(pausedGauge, of("b", "0"))
		f.wantSeries(pausedSinceGauge)
		f.wantSeries(overlongGauge, of("b", "0"))

		f.remove(check)
		f.reconcile(check)
		f.wantSeries(pausedGauge)
		f.wantSeries(overlongGauge)
	})
}

// TestMetricsOfSignals: they vanish when the subject no longer wants pauses.
func TestMetricsOfSignals(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.upgrading("A")
		f.reconcile(check)
		f.wantSeries(upgradingGauge, `kind="Signal",name="fake",namespace="NS"} 1`)
		f.wantSeries(readableGauge, `kind="Signal",name="fake",namespace="NS"} 1`)

		f.upgrading()
		f.signal.Off = true
		f.reconcile(check)
		f.wantStored(check, resumed(noon))
		f.wantSeries(upgradingGauge)
		f.wantSeries(readableGauge)
	})
}

// wantSeries asserts all series of a metric about this namespace, which is shown as NS.
func (f *harness) wantSeries(gauge *prometheus.GaugeVec, want ...string) {
	f.t.Helper()
	if diff := cmp.Diff(want, seriesIn(f.t, f.ns, gauge)); diff != "" {
		f.t.Errorf("series of %s (-want +got):\n%s", metricNames[gauge], diff)
	}
}

// seriesIn returns the labels and values of all series about a namespace, which is shown as NS.
func seriesIn(t testing.TB, namespace string, gauge *prometheus.GaugeVec) []string {
	t.Helper()
	text, err := testutil.CollectAndFormat(gauge, expfmt.TypeTextPlain, metricNames[gauge])
	if err != nil {
		t.Fatal(err)
	}
	var series []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.Contains(line, `"`+namespace+`"`) {
			_, labels, _ := strings.Cut(strings.ReplaceAll(line, namespace, "NS"), "{")
			series = append(series, labels)
		}
	}
	slices.Sort(series)
	return series
}

var metricNames = map[*prometheus.GaugeVec]string{
	pausedGauge: "sickbay_upgrade_paused", pausedSinceGauge: "sickbay_upgrade_paused_timestamp_seconds", overlongGauge: "sickbay_upgrade_pause_too_long",
	upgradingGauge: "sickbay_upgrade_in_progress", readableGauge: "sickbay_upgrade_signal_readable",
}
