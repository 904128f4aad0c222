package remediation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// counted returns the open records of a namespace by their MachineHealthCheck, phase and reason, as Prometheus reads them.
func (f *fixture) counted() map[string]float64 {
	f.t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		f.t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		for _, one := range family.Metric {
			labels := map[string]string{}
			for _, label := range one.Label {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "sickbay_remediations" && labels["namespace"] == f.ns {
				all[labels["machinehealthcheck"]+" "+labels["phase"]+" "+labels["reason"]] = one.Gauge.GetValue()
			}
		}
	}
	return all
}

func (f *fixture) wantCounted(want map[string]float64) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.counted()); diff != "" {
		f.t.Errorf("open records (-want +got):\n%s", diff)
	}
}

// TestMetrics: open records by what they do, and attempts by what came of them. It is not parallel, as others count, too.
func TestMetrics(t *testing.T) {
	f := newFixture(t)
	a, b := f.sick("a"), f.sick("b")
	record, other := f.admit(a), f.admit(b)
	attempts := func(outcome string) float64 {
		return testutil.ToFloat64(remediationsTotal.WithLabelValues(string(v1alpha1.ActionReplace), outcome))
	}
	started, succeeded := attempts(outcomeStarted), attempts(string(v1alpha1.ResultSucceeded))
	f.reconcile(record)
	f.reconcile(record)
	f.reconcile(other)
	f.wantCounted(map[string]float64{"mhc Acting Acting": 2})
	if got := attempts(outcomeStarted) - started; got != 2 {
		t.Errorf("%v attempts have started", got)
	}

	// Another process counts what it finds.
	forgetMetrics(client.ObjectKeyFromObject(record))
	f.restart()
	f.reconcile(record)
	f.wantCounted(map[string]float64{"mhc Acting Acting": 2})

	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended Recovered replace:Succeeded")
	f.wantCounted(map[string]float64{"mhc Acting Acting": 1})
	f.judge(b, metav1.ConditionTrue)
	f.reconcile(other)
	f.wantCounted(map[string]float64{})
	if got := attempts(string(v1alpha1.ResultSucceeded)) - succeeded; got != 2 {
		t.Errorf("%v attempts have succeeded", got)
	}
}

// TestMetricsOfARecordThatIsGone: it is not counted any more.
func TestMetricsOfARecordThatIsGone(t *testing.T) {
	f := newFixture(t)
	f.gate.closed = "too many"
	record := f.admit(f.sick("a"))
	f.reconcile(record)
	f.wantCounted(map[string]float64{"mhc Pending GateClosed": 1})
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Finalizers = nil })
	remove(f, record)
	f.reconcile(record)
	f.wantCounted(map[string]float64{})
}
