package metrics

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

var probe = NewGauge("sickbay_probe", "For tests.", "a", "b")

func TestSamples(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	tests := map[string]struct {
		do   func(s *Samples)
		want float64
	}{
		"nothing":             {func(*Samples) {}, math.NaN()},
		"set twice":           {func(s *Samples) { s.Set(probe, 1, "x", "y"); s.Set(probe, 2, "x", "y") }, 2},
		"added":               {func(s *Samples) { s.Add(probe, 1, "x", "y"); s.Add(probe, 2, "x", "y") }, 3},
		"others":              {func(s *Samples) { s.Set(probe, 1, "xy", ""); s.Set(probe, 1, "", "xy") }, math.NaN()},
		"the earlier":         {func(s *Samples) { s.Earliest(probe, late, "x", "y"); s.Earliest(probe, early, "x", "y") }, 100},
		"not the later":       {func(s *Samples) { s.Earliest(probe, early, "x", "y"); s.Earliest(probe, late, "x", "y") }, 100},
		"no time is none":     {func(s *Samples) { s.Earliest(probe, time.Time{}, "x", "y"); s.SetTime(probe, time.Time{}, "x", "y") }, math.NaN()},
		"a part of a second":  {func(s *Samples) { s.SetTime(probe, early.Add(500*time.Millisecond), "x", "y") }, 100.5},
		"no text, but a name": {func(s *Samples) { s.Set(probe, 1, "\xff", "y"); s.Set(probe, 7, "x", "y") }, 7},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var s Samples
			tt.do(&s)
			got, there := s.Get(probe, "x", "y")
			if there == math.IsNaN(tt.want) || (there && got != tt.want) {
				t.Errorf("got %v, %v, want %v", got, there, tt.want)
			}
		})
	}
}

// TestSources: two sources of the same series count once, invalid UTF-8 breaks nothing, and a detached source is not read.
func TestSources(t *testing.T) {
	same := func(value float64) Source {
		return func(_ context.Context, s *Samples) { s.Set(probe, value, "x", "y\xff") }
	}
	first, second := Attach(same(1)), Attach(same(2))
	want := "# HELP sickbay_probe For tests.\n# TYPE sickbay_probe gauge\nsickbay_probe{a=\"x\",b=\"y?\"} 1\n"
	if err := testutil.CollectAndCompare(&live, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	first()
	if err := testutil.CollectAndCompare(&live, strings.NewReader(strings.Replace(want, "} 1", "} 2", 1))); err != nil {
		t.Error(err)
	}
	second()
	if n := testutil.CollectAndCount(&live); n != 0 {
		t.Errorf("%d series are left", n)
	}
}

// TestAlways: what a standby shows, too, stops with the manager.
func TestAlways(t *testing.T) {
	always := Always(func(_ context.Context, s *Samples) { s.Set(probe, 1, "x", "y") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := always.Start(ctx); err != nil {
		t.Error(err)
	}
	if always.(manager.LeaderElectionRunnable).NeedLeaderElection() {
		t.Error("it waits for the lease")
	}
	if n := testutil.CollectAndCount(&live); n != 0 {
		t.Errorf("%d series are left", n)
	}
}

var _ prometheus.Collector = &live
