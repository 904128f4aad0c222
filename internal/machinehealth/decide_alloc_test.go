package machinehealth

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// sink keeps the compiler from optimizing a measured call away.
var sink healthcheck.Result

// TestDecideAllocatesNothing holds for those Machines that are judged all the time: nothing is wrong
// with them, or not yet.
func TestDecideAllocatesNothing(t *testing.T) {
	for name, f := range map[string]Facts{
		"healthy": facts(),
		"pending": facts(notReady(ago(time.Minute))),
		"grace":   facts(wasHealthy, lost(now)),
	} {
		t.Run(name, func(t *testing.T) {
			if n := testing.AllocsPerRun(100, func() { sink = Decide(f, now) }); n != 0 {
				t.Errorf("Decide allocates %v times, want 0", n)
			}
		})
	}
}

func BenchmarkDecideHealthy(b *testing.B) {
	f := facts()
	b.ReportAllocs()
	for b.Loop() {
		sink = Decide(f, now)
	}
}

func BenchmarkDecideUnhealthy(b *testing.B) {
	f := facts(notReady(ago(time.Hour)))
	b.ReportAllocs()
	for b.Loop() {
		sink = Decide(f, now)
	}
}
