package remediation

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestMetrics: open records by what they do, and attempts by what came of them. It is not parallel, as others count, too.
func TestMetrics(t *testing.T) {
	f := newFixture(t)
	a := f.sick("a")
	record := f.admit(a)
	open := func(phase v1alpha1.RemediationPhase, reason string) float64 {
		return testutil.ToFloat64(remediationsGauge.WithLabelValues(string(phase), reason))
	}
	attempts := func(outcome string) float64 {
		return testutil.ToFloat64(remediationsTotal.WithLabelValues(string(v1alpha1.ActionReplace), outcome))
	}
	acting, started, succeeded := open(v1alpha1.RemediationActing, v1alpha1.ReasonActing), attempts(outcomeStarted), attempts(string(v1alpha1.ResultSucceeded))
	f.reconcile(record)
	f.reconcile(record)
	if got := open(v1alpha1.RemediationActing, v1alpha1.ReasonActing) - acting; got != 1 {
		t.Errorf("%v records are acting", got)
	}
	if got := attempts(outcomeStarted) - started; got != 1 {
		t.Errorf("%v attempts have started", got)
	}

	// Another process counts what it finds.
	forgetMetrics(client.ObjectKeyFromObject(record))
	f.restart()
	f.reconcile(record)
	if got := open(v1alpha1.RemediationActing, v1alpha1.ReasonActing) - acting; got != 1 {
		t.Errorf("%v records are acting after a restart", got)
	}

	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended Recovered replace:Succeeded")
	if got := open(v1alpha1.RemediationActing, v1alpha1.ReasonActing) - acting; got != 0 {
		t.Errorf("%v records are acting at the end", got)
	}
	if got := attempts(string(v1alpha1.ResultSucceeded)) - succeeded; got != 1 {
		t.Errorf("%v attempts have succeeded", got)
	}
}

// TestMetricsOfARecordThatIsGone: it is not counted any more.
func TestMetricsOfARecordThatIsGone(t *testing.T) {
	f := newFixture(t)
	f.gate.closed = "too many"
	record := f.admit(f.sick("a"))
	pending := func() float64 {
		return testutil.ToFloat64(remediationsGauge.WithLabelValues(string(v1alpha1.RemediationPending), v1alpha1.ReasonGateClosed))
	}
	before := pending()
	f.reconcile(record)
	if got := pending() - before; got != 1 {
		t.Errorf("%v are pending", got)
	}
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Finalizers = nil })
	remove(f, record)
	f.reconcile(record)
	if got := pending() - before; got != 0 {
		t.Errorf("%v are pending, and it is gone", got)
	}
}
