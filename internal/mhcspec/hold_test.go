package mhcspec_test

import (
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestOnHold(t *testing.T) {
	now := build.Epoch
	until := func(d time.Duration) build.Option {
		return build.Annotation(mhcspec.HoldUntilAnnotation, now.Add(d).Format(time.RFC3339))
	}
	because := func(why string) build.Option { return build.Annotation(mhcspec.HoldReasonAnnotation, why) }
	machine := func(opts ...build.MachineOption) client.Object { return build.Machine("ns", "m", opts...) }
	tests := map[string]struct {
		objs      []client.Object
		want      string
		wantUntil time.Time
	}{
		"nothing":        {[]client.Object{machine(), build.Cluster("ns", "c")}, "", time.Time{}},
		"a reason alone": {[]client.Object{machine(because("why not"))}, "", time.Time{}},
		"a machine":      {[]client.Object{machine(until(time.Hour))}, "Machine m is on hold until 2026-01-01T01:00:00Z", now.Add(time.Hour)},
		"with a reason":  {[]client.Object{machine(until(time.Hour), because("new disk"))}, "Machine m is on hold until 2026-01-01T01:00:00Z: new disk", now.Add(time.Hour)},
		"a cluster":      {[]client.Object{machine(), build.Cluster("ns", "c", until(time.Minute))}, "Cluster c is on hold until 2026-01-01T00:01:00Z", now.Add(time.Minute)},
		"a health check": {[]client.Object{build.MachineHealthCheck("ns", "mhc", until(time.Minute))}, "MachineHealthCheck mhc is on hold until 2026-01-01T00:01:00Z", now.Add(time.Minute)},
		"over":           {[]client.Object{machine(until(-time.Second))}, "", time.Time{}},
		"over just now":  {[]client.Object{machine(until(0))}, "", time.Time{}},
		"the longest of two": {
			[]client.Object{machine(until(time.Hour)), build.Cluster("ns", "c", until(time.Minute))}, "Machine m is on hold until 2026-01-01T01:00:00Z", now.Add(time.Hour),
		},
		"another zone": {
			[]client.Object{machine(build.Annotation(mhcspec.HoldUntilAnnotation, "2026-01-01T02:00:00+01:00"))}, "Machine m is on hold until 2026-01-01T01:00:00Z", now.Add(time.Hour),
		},
		"unreadable": {
			[]client.Object{build.Cluster("ns", "c", until(time.Hour)), machine(build.Annotation(mhcspec.HoldUntilAnnotation, "tomorrow"))},
			`annotation sickbay.dev/hold-until of Machine m is "tomorrow": it must be a time like 2006-01-02T15:04:05Z`, time.Time{},
		},
		"empty": {
			[]client.Object{machine(build.Annotation(mhcspec.HoldUntilAnnotation, ""))},
			`annotation sickbay.dev/hold-until of Machine m is "": it must be a time like 2006-01-02T15:04:05Z`, time.Time{},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, at := mhcspec.OnHold(now, tt.objs...)
			if got != tt.want || !at.Equal(tt.wantUntil) {
				t.Errorf("got  %q until %s\nwant %q until %s", got, at, tt.want, tt.wantUntil)
			}
		})
	}
	t.Run("as long as a book", func(t *testing.T) {
		for _, obj := range []client.Object{
			machine(until(time.Hour), because(strings.Repeat("ü", 10_000))), machine(build.Annotation(mhcspec.HoldUntilAnnotation, strings.Repeat("x", 10_000))),
		} {
			if got, _ := mhcspec.OnHold(now, obj); len(got) > 300 || !strings.Contains(got, "...") {
				t.Errorf("it takes %d bytes to say", len(got))
			}
		}
	})
}

func TestHoldEnded(t *testing.T) {
	now := build.Epoch
	held := func(until string) client.Object {
		return build.Machine("ns", "m", build.Annotation(mhcspec.HoldUntilAnnotation, until))
	}
	ago := func(d time.Duration) string { return now.Add(-d).Format(time.RFC3339) }
	tests := map[string]struct {
		objs []client.Object
		want time.Time
	}{
		"nothing":          {[]client.Object{build.Machine("ns", "m")}, time.Time{}},
		"goes on":          {[]client.Object{held(ago(-time.Minute))}, time.Time{}},
		"over":             {[]client.Object{held(ago(time.Minute))}, now.Add(-time.Minute)},
		"over just now":    {[]client.Object{held(ago(0))}, now},
		"the last of two":  {[]client.Object{held(ago(time.Hour)), held(ago(time.Minute))}, now.Add(-time.Minute)},
		"cannot be read":   {[]client.Object{held("tomorrow")}, time.Time{}},
		"one goes on, too": {[]client.Object{held(ago(-time.Hour)), held(ago(time.Minute))}, now.Add(-time.Minute)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := mhcspec.HoldEnded(now, tt.objs...); !got.Equal(tt.want) {
				t.Errorf("it ended at %v, want %v", got, tt.want)
			}
		})
	}
}
