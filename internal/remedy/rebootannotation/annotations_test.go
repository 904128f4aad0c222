package rebootannotation_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestWhoAsksForAReboot: a health check of any version identifies itself by a second annotation with the same value.
func TestWhoAsksForAReboot(t *testing.T) {
	const asks, operation, at = rebootannotation.Request, rebootannotation.Operation, rebootannotation.RequestedAt
	for name, tt := range map[string]struct {
		annotations   map[string]string
		byHealthCheck bool
		operation     string
	}{
		"nobody":                            {nil, false, ""},
		"nobody any more":                   {map[string]string{operation: "u/1"}, false, ""},
		"a record":                          {map[string]string{asks: "u/1", operation: "u/1"}, true, "u/1"},
		"a person":                          {map[string]string{asks: ""}, false, ""},
		"a person, after a record":          {map[string]string{asks: "now", operation: "u/1"}, false, ""},
		"a person, with two that are empty": {map[string]string{asks: "", operation: ""}, false, ""},
		"two that are empty, of the version before": {map[string]string{asks: "", at: ""}, false, ""},
		"the version before":                        {map[string]string{asks: "2026-01-01T00:00:00Z", at: "2026-01-01T00:00:00Z"}, true, ""},
		"a record, after the version before":        {map[string]string{asks: "u/1", operation: "u/1", at: "2026-01-01T00:00:00Z"}, true, "u/1"},
		"a person, after the version before":        {map[string]string{asks: "", at: "2026-01-01T00:00:00Z"}, false, ""},
	} {
		machine := build.Machine("ns", "m")
		machine.Annotations = tt.annotations
		if got := rebootannotation.ByHealthCheck(machine); got != tt.byHealthCheck {
			t.Errorf("%s: by a health check is %t", name, got)
		}
		if got := rebootannotation.OperationOf(machine); got != tt.operation {
			t.Errorf("%s: the operation is %q", name, got)
		}
	}
}

// dueSink keeps the compiler from optimizing the measured call away.
var dueSink time.Time

func BenchmarkDueAt(b *testing.B) {
	machine := build.Machine("ns", "m", build.Annotation(rebootannotation.RequestedAt, build.Epoch.Format(time.RFC3339)))
	b.ReportAllocs()
	for b.Loop() {
		dueSink = rebootannotation.DueAt(machine, time.Minute)
	}
}

func TestDueAt(t *testing.T) {
	tests := map[string]struct {
		value string
		want  time.Time
	}{
		"never asked":  {"", time.Time{}},
		"asked":        {"2026-01-01T00:00:00Z", build.Epoch.Add(time.Minute)},
		"another zone": {"2026-01-01T01:00:00+01:00", build.Epoch.Add(time.Minute)},
		"not a time":   {"soon", time.Time{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			machine := build.Machine("ns", "m", build.Annotation(rebootannotation.RequestedAt, tt.value))
			if got := rebootannotation.DueAt(machine, time.Minute); !got.Equal(tt.want) {
				t.Errorf("due at %s, want %s", got, tt.want)
			}
		})
	}
}
