package slots

import (
	"testing"

	testingclock "k8s.io/utils/clock/testing"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestLooksAreForgotten: the last look is dropped for a MachineHealthCheck that nobody asks about any more.
func TestLooksAreForgotten(t *testing.T) {
	clock := testingclock.NewFakePassiveClock(build.Epoch)
	g := &Gatekeeper{Reader: Reader{Clock: clock}}
	g.last("one")
	clock.SetTime(build.Epoch.Add(2 * lookKept))
	g.last("other")
	if len(g.looks) != 1 {
		t.Errorf("%d looks are kept", len(g.looks))
	}
}
