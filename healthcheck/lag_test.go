package healthcheck_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/live"
)

// A reconcile before the cache shows our write must not write or report the same thing
// twice.
func TestCacheThatHasNotSeenOurWriteIsWaitedFor(t *testing.T) {
	f := newHarness(t, result(healthcheck.False, "Broken", "disk is full"))
	lagging := live.NewLagging(f.env.Client)
	f.Client = lagging
	lagging.Freeze()
	f.reconcile(t)
	version := f.stored(t).ResourceVersion
	f.clock.SetTime(in(1e9))
	if again := f.reconcile(t).RequeueAfter; again == 0 {
		t.Error("the object is not looked at again")
	}
	if got := f.stored(t).ResourceVersion; got != version {
		t.Errorf("resourceVersion went from %s to %s, want no write", version, got)
	}
	if len(f.transitions) != 1 {
		t.Errorf("there were %d transitions, want 1", len(f.transitions))
	}
	lagging.Thaw()
	f.result = result(healthcheck.True, "Fine", "")
	f.reconcile(t)
	if len(f.transitions) != 2 {
		t.Errorf("there were %d transitions after the cache caught up, want 2", len(f.transitions))
	}
}
