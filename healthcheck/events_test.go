package healthcheck_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestEventsOnTransitions: there is an Event when the status changes, and only then.
func TestEventsOnTransitions(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	recorder := events.NewFakeRecorder(10)
	f.Recorder = recorder
	f.reconcile(t)
	f.reconcile(t)
	f.result = result(healthcheck.False, "Broken", "it is "+strings.Repeat("very ", 300)+"bad")
	f.reconcile(t)
	f.result.Reason = "StillBroken"
	f.reconcile(t)
	f.applicability = healthcheck.DoesNotApply
	f.reconcile(t)

	close(recorder.Events)
	var got []string
	for event := range recorder.Events {
		if len(event) > 1100 {
			t.Errorf("an event has %d bytes", len(event))
		}
		got = append(got, event[:min(len(event), 35)])
	}
	want := []string{"Normal Fine Healthy is True", "Warning Broken Healthy is False: it"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestMetrics: the metrics count results of checks and changes of the status.
func TestMetrics(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.Name = f.widget.Namespace // unique, however often the test runs
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: f.Name}
	f.reconcile(t)
	f.reconcile(t)
	f.result = result(healthcheck.False, "Broken", "")
	f.reconcile(t)
	f.result = healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Within: time.Minute}
	f.reconcile(t)
	f.clock.SetTime(in(time.Minute))
	f.reconcile(t)
	want := `
# HELP sickbay_check_results_total Results of checks, by status.
# TYPE sickbay_check_results_total counter
sickbay_check_results_total{check="answer",condition="Healthy",registration="NAME",status="False"} 2
sickbay_check_results_total{check="answer",condition="Healthy",registration="NAME",status="Progressing"} 1
sickbay_check_results_total{check="answer",condition="Healthy",registration="NAME",status="True"} 2
`
	if err := testutil.GatherAndCompare(only(t, f.Name), strings.NewReader(strings.ReplaceAll(want, "NAME", f.Name)), "sickbay_check_results_total"); err != nil {
		t.Error(err)
	}
	want = `
# HELP sickbay_condition_transitions_total Changes of a condition's status; the status of a missing condition is empty.
# TYPE sickbay_condition_transitions_total counter
sickbay_condition_transitions_total{condition="Healthy",from="",registration="NAME",to="True"} 1
sickbay_condition_transitions_total{condition="Healthy",from="False",registration="NAME",to="Unknown"} 1
sickbay_condition_transitions_total{condition="Healthy",from="True",registration="NAME",to="False"} 1
sickbay_condition_transitions_total{condition="Healthy",from="Unknown",registration="NAME",to="False"} 1
`
	if err := testutil.GatherAndCompare(only(t, f.Name), strings.NewReader(strings.ReplaceAll(want, "NAME", f.Name)), "sickbay_condition_transitions_total"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(only(t, f.Name), "sickbay_check_duration_seconds"); n != 1 || err != nil {
		t.Errorf("%d durations, error %v", n, err)
	}
}

// only returns the metrics of one registration; the registry also has those of other tests.
func only(t *testing.T, registration string) prometheus.Gatherer {
	t.Helper()
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families, err := metrics.Registry.Gather()
		for _, family := range families {
			family.Metric = slices.DeleteFunc(family.Metric, func(m *dto.Metric) bool {
				return !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetName() == "registration" && l.GetValue() == registration })
			})
		}
		return slices.DeleteFunc(families, func(family *dto.MetricFamily) bool { return len(family.Metric) == 0 }), err
	})
}
