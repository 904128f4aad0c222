package targets_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// counted returns the metrics of all Clients of the process: how many clients there are, and how many were evicted for each
// reason.
func counted(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			switch {
			case family.GetName() == "sickbay_targets":
				values["now"] = m.GetGauge().GetValue()
			case family.GetName() == "sickbay_targets_evicted_total":
				values[m.Label[0].GetValue()] = m.GetCounter().GetValue()
			case strings.HasPrefix(family.GetName(), "sickbay_targets"):
				t.Errorf("there is %s, too", family.GetName())
			}
		}
	}
	return values
}

// TestMetrics: the metrics count the clients, and evictions by reason. Close is not an eviction.
func TestMetrics(t *testing.T) {
	clock, version := newClock(), "1"
	c := &targets.Clients[string]{
		Resolve: func(_ context.Context, key string) (targets.Access, error) {
			return at(key, version, &rest.Config{Host: key}), nil
		},
		Options: targets.Options{Clock: clock, MaxTargets: 2, IdleTime: time.Hour},
	}
	c.Close()
	before := counted(t)
	expect := func(what string, want map[string]float64) {
		t.Helper()
		got := counted(t)
		for key := range got {
			got[key] -= before[key]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	use := func(keys ...string) {
		for _, key := range keys {
			clock.Step(time.Second)
			reader(t, c, key)
		}
	}
	expect("at first", map[string]float64{"now": 0, "Changed": 0, "Full": 0, "Idle": 0})
	use("a", "b", "a")
	expect("two", map[string]float64{"now": 2, "Changed": 0, "Full": 0, "Idle": 0})
	use("c")
	expect("three", map[string]float64{"now": 2, "Changed": 0, "Full": 1, "Idle": 0})
	version = "2"
	use("c", "c")
	expect("another credential", map[string]float64{"now": 2, "Changed": 1, "Full": 1, "Idle": 0})
	clock.Step(time.Hour)
	use("d")
	expect("the next day", map[string]float64{"now": 1, "Changed": 1, "Full": 1, "Idle": 2})
	c.Close()
	expect("closed", map[string]float64{"now": 0, "Changed": 1, "Full": 1, "Idle": 2})
}
