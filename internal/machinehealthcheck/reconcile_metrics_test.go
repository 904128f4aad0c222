package machinehealthcheck

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// These tests do not run beside others, since metrics are global.

func TestMetrics(t *testing.T) {
	w := newSite(t)
	a := w.sick(t, "a")
	w.sick(t, "b")
	w.healthy(t, "c")
	w.machine(t, "d")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(2)))
	w.reconcile(t, mhc)
	w.wantGauge(t, machinesGauge, "sickbay_machines",
		`check="NodeNotFound",machinehealthcheck="mhc",namespace="NS",verdict="False"} 2`,
		`check="Succeeded",machinehealthcheck="mhc",namespace="NS",verdict="True"} 1`)
	w.wantGauge(t, shortCircuitGauge, "sickbay_short_circuit", `machinehealthcheck="mhc",namespace="NS"} 1`)
	w.wantGauge(t, pausedGauge, "sickbay_paused", `machinehealthcheck="mhc",namespace="NS"} 0`)

	w.judge(t, a, metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.wantGauge(t, machinesGauge, "sickbay_machines",
		`check="NodeNotFound",machinehealthcheck="mhc",namespace="NS",verdict="False"} 1`,
		`check="Succeeded",machinehealthcheck="mhc",namespace="NS",verdict="True"} 2`)
	w.wantGauge(t, shortCircuitGauge, "sickbay_short_circuit", `machinehealthcheck="mhc",namespace="NS"} 0`)

	annotate(t, w, mhc, clusterv1.PausedAnnotation, "")
	w.reconcile(t, mhc)
	w.wantGauge(t, pausedGauge, "sickbay_paused", `machinehealthcheck="mhc",namespace="NS"} 1`)
}

// TestMetricsGo with what they are about.
func TestMetricsGo(t *testing.T) {
	tests := map[string]func(t *testing.T, w *site, mhc *clusterv1.MachineHealthCheck){
		"deleted": func(t *testing.T, w *site, mhc *clusterv1.MachineHealthCheck) {
			t.Helper()
			remove(t, w, mhc)
		},
		"not ours anymore": func(_ *testing.T, w *site, _ *clusterv1.MachineHealthCheck) {
			w.Policy = targets.Policy{WatchFilter: "us"}
		},
	}
	for name, goes := range tests {
		t.Run(name, func(t *testing.T) {
			w := newSite(t)
			w.sick(t, "a")
			mhc := w.check(t)
			w.reconcile(t, mhc)
			goes(t, w, mhc)
			w.reconcile(t, mhc)
			for _, gauge := range []*prometheus.GaugeVec{machinesGauge, shortCircuitGauge, pausedGauge} {
				if n := gauge.DeletePartialMatch(prometheus.Labels{labelNamespace: w.ns}); n > 0 {
					t.Errorf("%d series were left", n)
				}
			}
		})
	}
}

// wantGauge asserts all series of a metric that are about this site. NS stands for its namespace.
func (w *site) wantGauge(t *testing.T, gauge *prometheus.GaugeVec, name string, want ...string) {
	t.Helper()
	text, err := testutil.CollectAndFormat(gauge, expfmt.TypeTextPlain, name)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.Contains(line, `"`+w.ns+`"`) {
			got = append(got, line)
		}
	}
	for i := range want {
		want[i] = name + "{" + strings.ReplaceAll(want[i], "NS", w.ns)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
