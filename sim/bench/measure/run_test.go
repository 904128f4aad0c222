package measure

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// TestMain lets this program run the subjects other than Sickbay, as the benchmark's program does.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "manager" {
		os.Exit(m.Run())
	}
	if err := subject.Main(ctrl.SetupSignalHandler(), os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tiny returns the smallest plan that takes every figure except those of failover, of hanging clusters, and of starts without verdicts.
func tiny() Plan {
	fleet := result.Fleet{Clusters: 2, Machines: 5, Large: 20}
	return Plan{
		Fleets: []result.Fleet{fleet}, Metered: []result.Fleet{fleet}, Rounds: 1, Alone: 1, PerSecond: 2,
		Subjects: []result.Subject{result.Sickbay, result.Floor}, Beats: time.Second, BeatsPerSecond: 33,
	}
}

// TestRun carries out a plan with the real binary. It does not check any times.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	log.SetOutput(io.Discard) // the in-memory API servers log each watch that ends
	runner := subject.Runner{Log: io.Discard}
	var err error
	if runner.Sickbay, err = sickbay.Build(ctx, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if runner.Bench, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	plan := tiny()
	figures, err := Run(ctx, plan, runner, t.TempDir(), slog.New(slog.DiscardHandler), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	report := result.Report{Time: time.Now(), Figures: figures}
	if err := report.Validate(); err != nil {
		t.Error(err)
	}
	want := []result.Measure{
		result.FirstStart, result.Memory, result.HeartbeatCPU, result.HeartbeatBytes, result.IdleRequests, result.IdleWrites,
		result.VerdictP50, result.VerdictP99, result.VerdictMax, result.MarkP50, result.MarkP99, result.MarkMax,
		result.HandoverP50, result.HandoverP99, result.HandoverMax,
		result.OnsetWrites, result.RemedyWrites, result.RemedyRequests, result.RemedyEvents, result.StormVerdict, result.StormMark, result.StormWrites,
		result.StormFirst, result.LoneVerdict, result.LoneMark, result.IdleCPU, result.ReadRequests, result.ReadBytes,
		result.ServerMemory, result.StoreMemory, result.StoreBytes,
	}
	for _, phase := range result.Phases() {
		for _, verb := range result.Verbs() {
			want = append(want, result.Requests(phase, verb))
		}
	}
	checkTaken(t, report, result.Sickbay, want)
	checkTaken(t, report, result.Floor, []result.Measure{
		result.Memory, result.HeartbeatCPU, result.HeartbeatBytes, result.StormVerdict, result.StormMark, result.StormFirst, result.IdleCPU,
		result.ReadRequests, result.ReadBytes, result.ServerMemory, result.StoreMemory, result.StoreBytes,
	})
	checkSense(t, report, plan.Fleets[0])
}

// checkTaken checks that each of these measures has one value, and that there are no others.
func checkTaken(t *testing.T, report result.Report, who result.Subject, want []result.Measure) {
	t.Helper()
	var got []result.Measure
	for _, f := range report.Figures {
		if f.Subject == who {
			got = append(got, f.Measure)
		}
		if len(f.Values) != 1 {
			t.Errorf("%s: %v in one round", f, f.Values)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("figures of %s (-want +got):\n%s", who, diff)
	}
}

// checkSense checks what must be true on any computer. Heartbeats may seem to cost nothing: a busy process may still do something else
// in the time with which theirs is compared.
func checkSense(t *testing.T, report result.Report, shape result.Fleet) {
	t.Helper()
	value := func(m result.Measure) float64 {
		f, ok := report.Find(m, shape, result.Sickbay)
		if !ok {
			return -1
		}
		return f.Median()
	}
	for _, m := range []result.Measure{result.Memory, result.FirstStart, result.RemedyEvents, result.Requests(result.Remedy, "GET"), result.Requests(result.Storm, "POST")} {
		if value(m) <= 0 {
			t.Errorf("%s is %v", m, value(m))
		}
	}
	// A verdict, a record, a mark, and the record's status after it are at least four writes. On a busy computer, the counters are read
	// after the first deadline, so writes for a remedy may count for the onset.
	for m, writes := range map[result.Measure]float64{
		result.RemedyWrites: value(result.OnsetWrites) + value(result.RemedyWrites),
		result.StormWrites:  value(result.StormWrites),
	} {
		if writes < 4 {
			t.Errorf("%s is %v, all told", m, writes)
		}
	}
	if value(result.RemedyRequests) <= value(result.RemedyWrites) {
		t.Errorf("%v requests, and %v of them write", value(result.RemedyRequests), value(result.RemedyWrites))
	}
	if least, ok := report.Find(result.ReadBytes, shape, result.Floor); !ok || value(result.ReadBytes) < least.Median() {
		t.Errorf("a start reads %v bytes, and what it watches has %v", value(result.ReadBytes), least.Values)
	}
	if value(result.VerdictP50) > value(result.VerdictMax) || value(result.StormVerdict) > value(result.StormMark) {
		t.Errorf("verdicts and marks are not in their order: %v", report.Figures)
	}
}
