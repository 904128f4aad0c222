package soak_test

import (
	"io"
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
	"github.com/sickbay-dev/sickbay/sim/soak"
)

// A short soak with everything in it. Growth is not judged: nothing has warmed up in so short a time.
func TestSoak(t *testing.T) {
	log.SetOutput(io.Discard) // the API servers in memory complain about each watch that ends
	dir, noise := t.TempDir(), &strings.Builder{}
	binary, err := sickbay.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	allowances := soak.DefaultAllowances()
	allowances.Patience = time.Minute
	report, err := soak.Run(t.Context(), soak.Options{
		Seed: seed, Shape: result.Fleet{Clusters: 8, Machines: 10}, Duration: 25 * time.Second, Every: 400 * time.Millisecond, Beats: 20,
		Allowances: allowances, Binary: binary, Dir: dir, Log: noise, Progress: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, noise)
	}
	if err := report.Write(t.Output()); err != nil {
		t.Error(err)
	}
	for _, violation := range report.Violations {
		t.Error(violation)
	}
	for _, kind := range kinds {
		if report.Inflicted[kind] == 0 {
			t.Errorf("%q never happened", kind)
		}
	}
	if s := report.Summary; s.Remedied == 0 || s.Reasons[soak.Skip] == 0 || s.Reasons[soak.SaysRestricted] == 0 || len(s.Delays) == 0 {
		t.Errorf("there was nothing to be judged: %+v", s)
	}
	if n := len(report.Samples); n == 0 {
		t.Error("there are no samples")
	} else if last := report.Samples[n-1]; last.Goroutines == 0 || last.Resident == 0 || last.Live == 0 {
		t.Errorf("the manager uses nothing: %+v", last)
	}
	if t.Failed() {
		t.Log(noise)
	}
}

// seed gives a plan of 25 seconds with everything in it.
const seed = 57

var kinds = []soak.Kind{
	soak.NotReady, soak.Lost, soak.Gone, soak.Flap, soak.Skipped, soak.Storm, soak.Hang, soak.Pause, soak.Kill,
}
