package machinehealthcheck

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	w.longSick(t, "b")
	w.healthy(t, "c")
	w.machine(t, "d")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(2)))
	w.reconcile(t, mhc)
	now := w.clock.Now().Unix()
	w.wantMetrics(t,
		`gate_closed_timestamp_seconds{CHECK,reason="TooManyUnhealthy"} `+fmt.Sprint(now),
		`gate_open{CHECK} 0`,
		`machines_waiting_oldest_timestamp_seconds{CHECK,reason="GateClosed"} `+fmt.Sprint(now-3600),
		`machines_waiting{CHECK,reason="GateClosed"} 2`,
		`machines{CHECK,verdict="False",check="NodeNotFound"} 2`,
		`machines{CHECK,verdict="True",check="Succeeded"} 1`,
		`max_unhealthy_machines{CHECK} 2`,
		`paused{CHECK} 0`,
		`short_circuit{CHECK} 1`,
		`slots_taken{CHECK} 0`,
		`unhealthy_machines{CHECK} 3`)

	w.judge(t, a, metav1.ConditionTrue)
	w.pass(time.Minute)
	w.reconcile(t, mhc)
	w.wantMetrics(t,
		`gate_open{CHECK} 1`,
		`machines{CHECK,verdict="False",check="NodeNotFound"} 1`,
		`machines{CHECK,verdict="True",check="Succeeded"} 2`,
		`max_unhealthy_machines{CHECK} 2`,
		`paused{CHECK} 0`,
		`short_circuit{CHECK} 0`,
		`slots_taken{CHECK} 1`,
		`unhealthy_machines{CHECK} 2`)
}

// TestGateClosedForAnotherReason: since when it is closed for a reason does not go back to when it was closed for another one, as one that was closed
// while nothing was sick is no trouble. A manager that takes over goes by what is stored, and by when a machine fell sick.
func TestGateClosedForAnotherReason(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a, b := w.healthy(t, "a"), w.healthy(t, "b")
	mhc := w.check(t, build.TriggerIfInRange("[2-3]"))
	w.reconcile(t, mhc)
	const gauge = `gate_closed_timestamp_seconds{CHECK,reason="`
	shows := func(reason string, since time.Time) {
		t.Helper()
		if want, got := gauge+reason+`"} `+fmt.Sprint(since.Unix())+"\n", w.metrics(t); !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	quiet := w.clock.Now()
	shows("NoneSick", quiet)
	w.clock.SetTime(quiet.Add(24 * time.Hour))
	w.judge(t, a, metav1.ConditionFalse)
	w.reconcile(t, mhc)
	few := w.clock.Now()
	shows("TooFewUnhealthy", few)
	w.clock.SetTime(few.Add(time.Minute))
	w.reconcile(t, mhc)
	shows("TooFewUnhealthy", few)
	w.restart(w.Client)
	w.clock.SetTime(few.Add(time.Hour))
	w.reconcile(t, mhc)
	shows("TooFewUnhealthy", few)
	cluster := w.cluster.DeepCopy()
	remove(t, w, w.cluster)
	_, _ = w.tryReconcile(t, mhc)
	shows("ClusterNotFound", w.clock.Now())
	cluster.ResourceVersion, cluster.UID = "", ""
	build.Create(t.Context(), t, w.env.Client, cluster)
	w.judge(t, b, metav1.ConditionFalse)
	w.reconcile(t, mhc)
	if got := w.metrics(t); strings.Contains(got, gauge) {
		t.Errorf("the gate is open, and there is\n%s", got)
	}
}

// TestMetricsWhilePaused: nothing is shown of a gate and of slots that nobody asks about, and machines are counted as they are now.
func TestMetricsWhilePaused(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)), maxInFlight("1"))
	w.reconcile(t, mhc)
	annotate(t, w, mhc, clusterv1.PausedAnnotation, "")
	w.reconcile(t, mhc)
	paused := w.clock.Now().Unix()
	remove(t, w, a)
	w.pass(time.Minute)
	w.reconcile(t, mhc)
	w.wantMetrics(t,
		`machines_waiting_oldest_timestamp_seconds{CHECK,reason="Paused"} `+fmt.Sprint(paused-600),
		`machines_waiting{CHECK,reason="Paused"} 1`,
		`machines{CHECK,verdict="False",check="NodeNotFound"} 1`,
		`paused_timestamp_seconds{CHECK,cause="MachineHealthCheck"} `+fmt.Sprint(paused),
		`paused{CHECK} 1`,
		`short_circuit{CHECK} 0`)
}

// TestMetricsOfAPlan: slots, and the domains in which something was repaired a short time ago.
func TestMetricsOfAPlan(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.sick(t, "b")
	w.plan(t, func(p *v1alpha1.RemediationPlan) {
		p.MaxInFlight = new(intstr.FromInt32(1))
		p.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
	})
	mhc := w.check(t, byPlan())
	w.reconcile(t, mhc)
	got := w.metrics(t)
	for _, want := range []string{
		`pacing_limit{CHECK,domain="MachineSet set"} 1`, `pacing_unproven{CHECK,domain="MachineSet set"} 1`,
		`pacing_cooldown_until_timestamp_seconds{CHECK,domain="MachineSet set"} `, `slots{CHECK} 1`, `slots_taken{CHECK} 1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}

// TestMetricsOfWhatIsLeftAlone: holds until they are over, and machines that nobody may touch.
func TestMetricsOfWhatIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	until := func(value string) build.Option { return build.Annotation(mhcspec.HoldUntilAnnotation, value) }
	at := w.clock.Now().Add(time.Hour)
	w.sick(t, "a", until(at.Format(time.RFC3339)))
	w.sick(t, "b", until("tomorrow"))
	w.sick(t, "c", until(w.clock.Now().Add(-time.Hour).Format(time.RFC3339)))
	w.sick(t, "d", build.Annotation(clusterv1.PausedAnnotation, ""))
	w.sick(t, "e", build.Annotation(clusterv1.PausedAnnotation, ""), build.Annotation(clusterv1.MachineSkipRemediationAnnotation, ""))
	w.wantMetrics(t,
		`hold_until_timestamp_seconds{kind="Machine",namespace="NS",name="a"} `+fmt.Sprint(at.Unix()),
		`hold_until_timestamp_seconds{kind="Machine",namespace="NS",name="b"} 0`,
		`machines_paused{namespace="NS",cluster="cluster",cause="Paused"} 2`,
		`machines_paused{namespace="NS",cluster="cluster",cause="SkipRemediation"} 1`)
	mhc := w.check(t, until(at.Format(time.RFC3339)))
	if want := `kind="MachineHealthCheck",namespace="NS",name="mhc"`; !strings.Contains(w.metrics(t), want) {
		t.Errorf("there is no hold of %s", want)
	}
	w.Policy = mhcspec.Policy{WatchFilter: "us"}
	if others := `kind="MachineHealthCheck",namespace="NS",name="` + mhc.Name; strings.Contains(w.metrics(t), others) {
		t.Error("the hold of one that is not ours is shown")
	}
	w.wantMetrics(t)
	w.cluster.Labels = map[string]string{clusterv1.WatchLabel: "us"}
	if err := w.env.Client.Update(t.Context(), w.cluster); err != nil {
		t.Fatal(err)
	}
	if got := w.metrics(t); strings.Count(got, `kind="Machine"`) != 2 || strings.Count(got, "machines_paused") != 2 {
		t.Errorf("of a Cluster that is ours there is\n%s", got)
	}
}

// TestMetricsOfDeletions: of each Cluster, the deletion that has taken the longest, also of a machine that nobody may touch.
func TestMetricsOfDeletions(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.wantMetrics(t)
	b := w.sick(t, "b", build.Annotation(clusterv1.MachineSkipRemediationAnnotation, ""), build.MachineFunc(func(m *clusterv1.Machine) { m.Finalizers = []string{"test.sickbay.dev/keep"} }))
	if err := w.env.Client.Delete(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := w.env.Client.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	w.wantMetrics(t,
		`machines_deleting_oldest_timestamp_seconds{namespace="NS",cluster="cluster",machine="b"} `+fmt.Sprint(b.DeletionTimestamp.Unix()),
		`machines_paused{namespace="NS",cluster="cluster",cause="SkipRemediation"} 1`)
}

// TestMetricsGo with what they are about.
func TestMetricsGo(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck){
		"deleted": func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck) {
			t.Helper()
			remove(t, w, mhc)
		},
		"not ours anymore": func(_ *testing.T, w *harness, _ *clusterv1.MachineHealthCheck) {
			w.Policy = mhcspec.Policy{WatchFilter: "us"}
		},
	}
	for name, goes := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.sick(t, "a")
			mhc := w.check(t)
			w.reconcile(t, mhc)
			goes(t, w, mhc)
			w.reconcile(t, mhc)
			w.wantMetrics(t)
		})
	}
}

// TestMetricsWithoutACluster: that nothing can be repaired shows, and nothing of what was.
func TestMetricsWithoutACluster(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	remove(t, w, w.cluster)
	_, _ = w.tryReconcile(t, mhc)
	got := w.metrics(t)
	if !strings.Contains(got, `reason="ClusterNotFound"`) || strings.Contains("\n"+got, "\nmachines{CHECK") {
		t.Errorf("got\n%s", got)
	}
}

// metrics are all series about this harness, with NS for its namespace, CHECK for the labels of its MachineHealthCheck, and without the
// prefix of their names.
func (w *harness) metrics(t *testing.T) string {
	t.Helper()
	var s metrics.Samples
	w.Metrics(t.Context(), &s)
	var lines []string
	for line := range strings.Lines(s.String()) {
		if !strings.Contains(line, `"`+w.ns+`"`) {
			continue
		}
		line = strings.ReplaceAll(line, `namespace="`+w.ns+`",machinehealthcheck="mhc"`, "CHECK")
		lines = append(lines, strings.TrimPrefix(strings.ReplaceAll(line, w.ns, "NS"), "sickbay_"))
	}
	return strings.Join(lines, "")
}

func (w *harness) wantMetrics(t *testing.T, want ...string) {
	t.Helper()
	text := strings.Join(want, "\n")
	if len(want) > 0 {
		text += "\n"
	}
	if diff := cmp.Diff(text, w.metrics(t)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// TestSnapshotsOfOthers: what a look notes costs the same however many MachineHealthChecks there are. A scan of the others would cost a hundred times as
// much; three times are for the caches of the processor. The best of several turns counts, since the machine may be busy with other things.
func TestSnapshotsOfOthers(t *testing.T) {
	turn := func(others int) time.Duration {
		r, look := manyChecks(others)
		return time.Duration(testing.Benchmark(func(b *testing.B) {
			b.Helper()
			for b.Loop() {
				look(r)
			}
		}).NsPerOp())
	}
	few, many := turn(100), turn(10_000)
	for turns := 1; many > 3*few && turns < 5; turns++ {
		few, many = min(few, turn(100)), min(many, turn(10_000))
	}
	if many > 3*few {
		t.Errorf("a look costs %s beside 100 others, and %s beside 10,000", few, many)
	}
}

func BenchmarkMeasure(b *testing.B) {
	for _, others := range []int{100, 4000, 10_000} {
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			r, look := manyChecks(others)
			b.ReportAllocs()
			for b.Loop() {
				look(r)
			}
		})
	}
}

// manyChecks are so many MachineHealthChecks that were looked at, and one more look.
func manyChecks(others int) (*Reconciler, func(*Reconciler)) {
	r := &Reconciler{}
	look := func(name string) func(*Reconciler) {
		f := admission.Facts{MachineHealthCheck: build.MachineHealthCheck("ns", name), Cluster: build.Cluster("ns", build.ClusterName)}
		for i := range 3 {
			machine := build.Machine("ns", fmt.Sprint("m", i), build.Verdict(metav1.ConditionTrue, build.Epoch))
			f.Targets = append(f.Targets, admission.Target{Machine: machine})
		}
		d := admission.Decide(f, build.Epoch)
		return func(r *Reconciler) { r.measure(f, d, clusterv1.MachineHealthCheckStatus{}, build.Epoch) }
	}
	for i := range others {
		look(fmt.Sprint("other-", i))(r)
	}
	return r, look("mhc")
}

// TestMetricsDoNotFlicker: a scrape while looks go on shows what one of them found, whole.
func TestMetricsDoNotFlicker(t *testing.T) {
	r, key := &Reconciler{}, client.ObjectKey{Namespace: "ns", Name: "mhc"}
	looks := []*snapshot{
		{verdicts: map[verdictKey]int{{"True", "Succeeded"}: 3}, slots: -1},
		{verdicts: map[verdictKey]int{{"True", "Succeeded"}: 2, {"False", "NodeNotFound"}: 1}, slots: -1},
	}
	r.memory.Set(key, remembered{snapshot: looks[0]})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 10_000 {
			r.memory.Set(key, remembered{snapshot: looks[i%2]})
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		var s metrics.Samples
		for key, one := range r.memory.All() {
			one.snapshot.show(&s, key.Namespace, key.Name)
		}
		well, _ := s.Get(machinesGauge, "ns", "mhc", "True", "Succeeded")
		sick, _ := s.Get(machinesGauge, "ns", "mhc", "False", "NodeNotFound")
		if well+sick != 3 {
			t.Fatalf("a reader sees %v healthy and %v sick machines of 3", well, sick)
		}
	}
}

// BenchmarkScrape reads what is shown of 4,000 MachineHealthChecks.
func BenchmarkScrape(b *testing.B) {
	r, _ := manyChecks(4000)
	b.ReportAllocs()
	for b.Loop() {
		var s metrics.Samples
		for key, one := range r.memory.All() {
			one.snapshot.show(&s, key.Namespace, key.Name)
		}
	}
}
