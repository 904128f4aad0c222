package cycle_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// TestSweepAtStart: a manager removes a key that was left before it started.
func TestSweepAtStart(t *testing.T) {
	t.Parallel()
	s := newHarnessAlone(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	m.annotateHost(ourPrefix+"0d5b1a3c-0000-4000-8000-000000000000", `{"mode":"hard"}`)
	m.awaits("the host is off", func() bool { return !m.Running() })
	manage(t, s)
	m.awaits("the key is gone", func() bool { return !m.held("m") })
	m.mustHaveCycled(1)
}
