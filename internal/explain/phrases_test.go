package explain_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// TestTook: what has not happened took no time, and a clock that was set back does not make it negative.
func TestTook(t *testing.T) {
	noon, later := explaintest.Noon, explaintest.Noon.Add(90*time.Second)
	for _, tt := range []struct {
		from, to *time.Time
		want     string
	}{{&noon, &later, "90s"}, {&later, &noon, "0s"}, {nil, &noon, ""}, {&noon, nil, ""}} {
		if got := explain.Took(tt.from, tt.to); got != tt.want {
			t.Errorf("from %v to %v took %q, want %q", tt.from, tt.to, got, tt.want)
		}
	}
	if got := explain.Seconds(90); got != "90s" {
		t.Errorf("90 seconds are %q", got)
	}
}

// TestIn: of the objects of a name, only that of the namespace is meant.
func TestIn(t *testing.T) {
	f := explaintest.Eleven()
	for kind, name := range map[string]string{"machine": "md-0-a", "mhc": "workers", "cluster": "green", "mr": "metal-1-5f2c9d1e-1"} {
		if page, ok := f.In(kind, "default", name); !ok || page.Name != name {
			t.Errorf("%s/%s: %v, %q", kind, name, ok, page.Headline)
		}
		if page, ok := f.In(kind, "elsewhere", name); ok {
			t.Errorf("%s/%s in another namespace: %q", kind, name, page.Headline)
		}
	}
	if other := f.ClusterNamed("default", "none"); other != nil {
		t.Errorf("a Cluster that is not there: %v", other)
	}
}
