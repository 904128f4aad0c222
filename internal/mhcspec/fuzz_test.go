package mhcspec_test

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

// FuzzHold: a hold is either on or over, and one that cannot be parsed is on. The message is readable whatever the reason
// says.
func FuzzHold(f *testing.F) {
	for _, until := range []string{"", "2026-11-23T08:00:00Z", "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59", "tomorrow", "2026-11-23T08:00:00.123456789+01:00", "\x00", "\xff\n"} {
		f.Add(until, "switch\nis \x1b[31mchanged")
	}
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, until, reason string) {
		machine := &clusterv1.Machine{}
		machine.Name, machine.Annotations = "m", map[string]string{mhcspec.HoldUntilAnnotation: until, mhcspec.HoldReasonAnnotation: reason}
		why, at := mhcspec.OnHold(now, machine)
		ended := mhcspec.HoldEnded(now, machine)
		if why != "" && !ended.IsZero() {
			t.Errorf("until %q it is on hold (%q), and has ended at %s", until, why, ended)
		}
		if why == "" && !at.IsZero() {
			t.Errorf("until %q it is not on hold, until %s", until, at)
		}
		if len(why) > 1000 {
			t.Errorf("a reason of %d bytes makes a sentence of %d", len(reason), len(why))
		}
		if _, err := time.Parse(time.RFC3339, until); err != nil {
			sentence.Clear(t, why)
		}
	})
}
