package remediation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
)

// counted returns the open records of a namespace by their MachineHealthCheck, phase and reason, as Prometheus reads them.
func (f *harness) counted() map[string]float64 {
	f.t.Helper()
	var s metrics.Samples
	f.Metrics(f.t.Context(), &s)
	all := map[string]float64{}
	for line := range strings.Lines(s.String()) {
		labels, found := strings.CutPrefix(line, fmt.Sprintf("sickbay_remediations{namespace=%q,", f.ns))
		if !found {
			continue
		}
		var mhc, phase, reason string
		var n float64
		if _, err := fmt.Sscanf(strings.NewReplacer(",", " ", "}", " ").Replace(labels), "machinehealthcheck=%q phase=%q reason=%q %g", &mhc, &phase, &reason, &n); err != nil {
			f.t.Fatal(err, labels)
		}
		all[mhc+" "+phase+" "+reason] = n
	}
	return all
}

func (f *harness) wantCounted(want map[string]float64) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.counted()); diff != "" {
		f.t.Errorf("open records (-want +got):\n%s", diff)
	}
}

// TestMetrics: open records by what they do, and attempts by what came of them. It is not parallel, as others count, too.
func TestMetrics(t *testing.T) {
	f := newHarness(t)
	a, b := f.sick("a"), f.sick("b")
	record, other := f.admit(a), f.admit(b)
	attempts := func(outcome string) float64 {
		return testutil.ToFloat64(attemptsTotal.WithLabelValues(string(v1alpha1.ActionReplace), "replace", outcome))
	}
	started := attempts(outcomeStarted)
	f.reconcile(record)
	f.reconcile(record)
	f.reconcile(other)
	f.wantCounted(map[string]float64{"mhc Acting Acting": 2})
	if got := attempts(outcomeStarted) - started; got != 2 {
		t.Errorf("%v attempts have started", got)
	}

	// Another process counts what it finds, and from 0.
	f.restart()
	step := prometheus.Labels{"action": string(v1alpha1.ActionReplace), "step": "replace"}
	attemptsTotal.DeletePartialMatch(step)
	f.reconcile(record)
	if got := attemptsTotal.DeletePartialMatch(step); got != 11 {
		t.Errorf("the counters of an open record have %d series, not 11", got)
	}
	f.wantCounted(map[string]float64{"mhc Acting Acting": 2})

	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended RecoveredUnaided replace:NotBegun")
	f.wantCounted(map[string]float64{"mhc Acting Acting": 1})
	f.judge(b, metav1.ConditionTrue)
	f.reconcile(other)
	f.wantCounted(map[string]float64{})
	if got := attempts(string(v1alpha1.ResultNotBegun)); got != 2 {
		t.Errorf("%v attempts have not begun", got)
	}
}

// TestMetricsOfARecordThatIsGone: it is not counted any more.
func TestMetricsOfARecordThatIsGone(t *testing.T) {
	f := newHarness(t)
	f.gate.closed = "too many"
	record := f.admit(f.sick("a"))
	f.reconcile(record)
	f.wantCounted(map[string]float64{"mhc Pending GateClosed": 1})
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Finalizers = nil })
	remove(f, record)
	f.reconcile(record)
	f.wantCounted(map[string]float64{})
}

// TestShow: since when the oldest is in its phase, and one series for each of the oldest.
func TestShow(t *testing.T) {
	at := func(minutes int) metav1.Time { return metav1.NewTime(time.Unix(int64(60*minutes), 0)) }
	record := func(name string, phase v1alpha1.RemediationPhase, change func(*v1alpha1.MachineRemediation)) *v1alpha1.MachineRemediation {
		r := &v1alpha1.MachineRemediation{}
		r.Namespace, r.Name, r.CreationTimestamp = "ns", name, at(1)
		r.Spec.ClusterName, r.Spec.HealthCheckRef.Name, r.Spec.MachineRef.Name, r.Spec.Grant = "c", "mhc", "m-"+name, 1
		r.Status.Phase, r.Status.Step = phase, "replace"
		progressing := metav1.ConditionTrue
		if phase == v1alpha1.RemediationHeld {
			progressing = metav1.ConditionFalse
		}
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Status: progressing, Reason: "Because", LastTransitionTime: at(9)}}
		change(r)
		return r
	}
	attempt := func(start, end int) func(*v1alpha1.MachineRemediation) {
		return func(r *v1alpha1.MachineRemediation) {
			one := v1alpha1.RemediationAttempt{Number: 1, Step: "replace", StartTime: new(at(start))}
			if end > 0 {
				one.EndTime = new(at(end))
			}
			r.Status.Attempts = append(r.Status.Attempts, one)
		}
	}
	tests := map[string]struct {
		record *v1alpha1.MachineRemediation
		since  int
	}{
		"held":              {record("a", v1alpha1.RemediationHeld, attempt(2, 3)), 9},
		"probation":         {record("a", v1alpha1.RemediationProbation, func(r *v1alpha1.MachineRemediation) { r.Status.RecoveryTime = new(at(5)) }), 5},
		"acting":            {record("a", v1alpha1.RemediationActing, attempt(2, 0)), 2},
		"pending":           {record("a", v1alpha1.RemediationPending, func(*v1alpha1.MachineRemediation) {}), 1},
		"pending once more": {record("a", v1alpha1.RemediationPending, attempt(2, 3)), 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var s metrics.Samples
			show(&s, []*v1alpha1.MachineRemediation{tt.record})
			phase := string(tt.record.Status.Phase)
			if got, _ := s.Get(oldestGauge, "ns", "mhc", phase, "Because"); got != float64(60*tt.since) {
				t.Errorf("it is in phase %s since %v", phase, got)
			}
			if got, _ := s.Get(openGauge, "ns", "mhc", "c", "m-a", "a", phase, "Because", "replace", "true"); got != 60 {
				t.Errorf("it is open since %v", got)
			}
		})
	}

	var many []*v1alpha1.MachineRemediation
	for i := range maxOpenSeries + 10 {
		many = append(many, record(fmt.Sprint(i), v1alpha1.RemediationPending, func(r *v1alpha1.MachineRemediation) { r.CreationTimestamp = at(2000 - i) }))
	}
	var s metrics.Samples
	show(&s, many)
	if n := strings.Count(s.String(), "sickbay_remediation_open_"); n != maxOpenSeries {
		t.Errorf("%d have a series of their own", n)
	}
	if _, shown := s.Get(openGauge, "ns", "mhc", "c", "m-0", "0", "Pending", "Because", "replace", "true"); shown {
		t.Error("the youngest is shown")
	}
	if got, _ := s.Get(remediationsGauge, "ns", "mhc", "Pending", "Because"); got != float64(len(many)) {
		t.Errorf("%v are counted", got)
	}
}

// TestMeasureTheUnproven: a machine that is gone in a plan that does not wait for its replacement has not helped, as far as anybody knows. It is not
// parallel, as others count, too.
func TestMeasureTheUnproven(t *testing.T) {
	at := func(seconds int64) metav1.Time { return metav1.NewTime(time.Unix(1000+seconds, 0)) }
	before := &v1alpha1.MachineRemediation{}
	before.CreationTimestamp, before.Spec.Finding.Since = at(2), at(0)
	before.Spec.Steps = []v1alpha1.RemediationStep{{Name: "go-away", Action: v1alpha1.ActionReplace}}
	before.Status.Attempts = []v1alpha1.RemediationAttempt{{
		Number: 1, Step: "go-away", StartTime: new(at(4)), BeganAt: new(at(5)), ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "MachineSet"},
	}}
	after := before.DeepCopy()
	after.Status.Attempts[0].EndTime, after.Status.Attempts[0].Result = new(at(60)), v1alpha1.ResultSucceeded
	after.Status.CompletionTime = new(at(60))
	after.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonReplaced}}
	sums := partSums(t)
	measure(before, after)
	for outcome, want := range map[string]float64{outcomeUnproven: 1, string(v1alpha1.ResultSucceeded): 0} {
		if got := testutil.ToFloat64(attemptsTotal.WithLabelValues("Replace", "go-away", outcome)); got != want {
			t.Errorf("%v attempts are %s, want %v", got, outcome, want)
		}
	}
	got := partSums(t)
	for part := range got {
		got[part] -= sums[part]
	}
	if diff := cmp.Diff(map[string]float64{"admit": 2, "act": 3, "heal": 0, "all": 0}, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

// TestMeasureTheEnd: how a record ended and how long its parts took is counted once. It is not parallel, as others count, too.
func TestMeasureTheEnd(t *testing.T) {
	at := func(seconds int64) metav1.Time { return metav1.NewTime(time.Unix(1000+seconds, 0)) }
	before := &v1alpha1.MachineRemediation{}
	before.CreationTimestamp, before.Spec.Finding.Since = at(2), at(0)
	before.Status.Attempts = []v1alpha1.RemediationAttempt{{
		Number: 1, Step: "replace", StartTime: new(at(4)), BeganAt: new(at(5)), EndTime: new(at(60)), Result: v1alpha1.ResultSucceeded, ObjectRef: &v1alpha1.RemediationObjectReference{},
	}}
	after := before.DeepCopy()
	after.Status.CompletionTime, after.Status.RecoveryTime = new(at(100)), new(at(65))
	after.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRecovered}}
	ended, sums := testutil.ToFloat64(endedTotal.WithLabelValues("Recovered")), partSums(t)
	measure(before, after)
	measure(after, after)
	if got := testutil.ToFloat64(endedTotal.WithLabelValues("Recovered")) - ended; got != 1 {
		t.Errorf("%v ends are counted", got)
	}
	got := partSums(t)
	for part := range got {
		got[part] -= sums[part]
	}
	if diff := cmp.Diff(map[string]float64{"admit": 2, "act": 3, "heal": 60, "all": 65}, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

// TestCountersBeginAtZero: the counters of an open record exist before their first increase, or Prometheus would not count it. An ended
// record makes no counters.
func TestCountersBeginAtZero(t *testing.T) {
	record := &v1alpha1.MachineRemediation{}
	record.Spec.Steps = []v1alpha1.RemediationStep{{Name: "first-of-all", Action: v1alpha1.ActionReboot}, {Name: "last-of-all", Action: v1alpha1.ActionReplace}}
	ended := record.DeepCopy()
	ended.Spec.Steps = []v1alpha1.RemediationStep{{Name: "of-the-past", Action: v1alpha1.ActionReboot}}
	ended.Status.CompletionTime = &metav1.Time{Time: time.Unix(1000, 0)}
	initAttemptCounters(record)
	initAttemptCounters(ended)
	var want []string
	for _, step := range record.Spec.Steps {
		for _, outcome := range []string{
			"Aborted", "Cancelled", "Denied", "Failed", "Impossible", "NotBegun", "Started", "Succeeded", "TimedOut", "Unneeded",
		} {
			want = append(want, fmt.Sprintf("%s of %s: %s = 0", step.Action, step.Name, outcome))
		}
	}
	want = append(want, "Replace of last-of-all: Unproven = 0")
	if diff := cmp.Diff(want, attemptCounters(t, "first-of-all", "last-of-all", "of-the-past")); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
}

// attemptCounters describes the counters of steps, sorted.
func attemptCounters(t *testing.T, steps ...string) []string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(attemptsTotal)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var counters []string
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range m.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if slices.Contains(steps, labels["step"]) {
				counters = append(counters, fmt.Sprintf("%s of %s: %s = %v", labels["action"], labels["step"], labels["outcome"], m.GetCounter().GetValue()))
			}
		}
	}
	slices.Sort(counters)
	return counters
}

func partSums(t *testing.T) map[string]float64 {
	t.Helper()
	sums := map[string]float64{}
	for _, part := range []string{"admit", "act", "heal", "all"} {
		var m dto.Metric
		if err := durationSeconds.WithLabelValues(part).(prometheus.Metric).Write(&m); err != nil {
			t.Fatal(err)
		}
		sums[part] = m.Histogram.GetSampleSum()
	}
	return sums
}
