package soak

import (
	"io"
	"log"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// TestSoak runs a short soak with every kind of fault.
func TestSoak(t *testing.T) {
	report := play(t, Options{Shape: result.Fleet{Clusters: 8, Machines: 10}, Duration: 25 * time.Second, Every: 400 * time.Millisecond})
	for _, violation := range report.Violations {
		t.Error(violation)
	}
	for _, kind := range kinds {
		if report.Inflicted[kind] == 0 {
			t.Errorf("%q never happened", kind)
		}
	}
	if s := report.Summary; s.Remedied == 0 || s.Reasons[Skip] == 0 || s.Reasons[SaysRestricted] == 0 || len(s.Delays) == 0 {
		t.Errorf("there was nothing to be judged: %+v", s)
	}
	if n := len(report.Samples); n == 0 {
		t.Error("there are no samples")
	} else if last := report.Samples[n-1]; last.Goroutines == 0 || last.Resident == 0 || last.Live == 0 {
		t.Errorf("the manager uses nothing: %+v", last)
	}
}

// TestSoakFindsDelays: a manager that freezes without a record in the ledger is later than explain predicted, and the report shows that.
func TestSoakFindsDelays(t *testing.T) {
	report := play(t, Options{
		Shape: result.Fleet{Clusters: 4, Machines: 10}, Duration: 16 * time.Second, Every: 400 * time.Millisecond,
		frozen: 5 * time.Second,
	})
	late := slices.ContainsFunc(report.Violations, func(v string) bool { return strings.HasPrefix(v, "What explain said came late. ") })
	if told := report.Forecasts; len(told.Late) == 0 && told.Excused > 0 {
		t.Skip("this machine is too busy to tell who is late")
	}
	if len(report.Forecasts.Late) == 0 || !late {
		t.Errorf("nothing was late: %+v, %q", report.Forecasts, report.Violations)
	}
}

// play runs a short  It does not judge growth, because nothing has warmed up in so short a time.
func play(t *testing.T, o Options) Report {
	t.Helper()
	log.SetOutput(io.Discard) // the in-memory API servers log each watch that ends
	dir, noise := t.TempDir(), &strings.Builder{}
	binary, err := sickbay.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	o.Seed, o.Beats, o.Allowances = seed, 20, DefaultAllowances()
	o.Allowances.Patience = time.Minute
	o.Binary, o.Dir, o.Log, o.Progress = binary, dir, noise, slog.New(slog.NewTextHandler(t.Output(), nil))
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(noise)
		}
	})
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Write(t.Output()); err != nil {
		t.Error(err)
	}
	return report
}

// seed gives a plan of 25 seconds with every kind of fault.
const seed = 57

var kinds = []Kind{
	NotReady, Lost, Gone, Flap, Skipped, Storm, Hang, Pause, Kill,
}
