package soak

import (
	"io"
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// TestShortSoakWithEveryFaultEndsHealthy does not judge growth, because nothing has warmed up in so short a time.
func TestShortSoakWithEveryFaultEndsHealthy(t *testing.T) {
	log.SetOutput(io.Discard) // the in-memory API servers log each watch that ends
	dir, noise := t.TempDir(), &strings.Builder{}
	binary, err := sickbay.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(noise)
		}
	})
	report, err := Run(t.Context(), Options{
		Seed: 4, Shape: result.Fleet{Clusters: 6, Machines: 10}, Duration: 15 * time.Second, Every: 300 * time.Millisecond, Patience: 2 * time.Minute,
		Binary: binary, Dir: dir, Log: noise, Progress: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range report.Violations {
		t.Error(violation)
	}
	for _, d := range draws {
		if report.Inflicted[d.kind] == 0 {
			t.Errorf("%q never happened", d.kind)
		}
	}
	if n := len(report.Samples); n == 0 {
		t.Error("there are no samples")
	} else if last := report.Samples[n-1]; last.Goroutines == 0 || last.Resident == 0 || last.Live == 0 {
		t.Errorf("Sickbay uses nothing: %+v", last)
	}
}

func TestBugInTheLogIsFound(t *testing.T) {
	for written, want := range map[string][]string{
		"all is well\n":                     nil,
		"WARNING: DATA RACE\nand more\n":    {"WARNING: DATA RACE"},
		"half a line with a pan|ic\nmore\n": {"half a line with a panic"},
		"Nil pointer, not yet a line":       nil,
	} {
		all := &strings.Builder{}
		finder := &bugFinder{to: all}
		for part := range strings.SplitSeq(written, "|") {
			if _, err := finder.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, finder.found); diff != "" || (want == nil) != (finder.violations() == nil) {
			t.Errorf("%q: %s", written, diff)
		}
		if all.String() != strings.ReplaceAll(written, "|", "") {
			t.Errorf("%q is forwarded as %q", written, all)
		}
	}
}
