package remedy_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// boolSink keeps the compiler from optimizing a measured call away.
var boolSink bool

// TestNeedsMarkAllocatesNothing: it is called for each Machine of a MachineHealthCheck.
func TestNeedsMarkAllocatesNothing(t *testing.T) {
	machine := build.Machine("ns", "m", build.OwnedBy(build.MachineSet("ns", "set")))
	expect.NoAllocation(t, func() { boolSink = remedy.NeedsMark(machine) })
}

func BenchmarkNeedsMark(b *testing.B) {
	machine := build.Machine("ns", "m")
	b.ReportAllocs()
	for b.Loop() {
		boolSink = remedy.NeedsMark(machine)
	}
}
