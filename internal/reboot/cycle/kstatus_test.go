package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/health"
)

// TestKStatus: who waits for a cycle waits in each phase, and is told if it did not help.
func TestKStatus(t *testing.T) {
	for name, tt := range map[string]struct {
		facts Facts
		after time.Duration
		want  string
	}{
		"it begins":           {in(""), 0, "InProgress Pending"},
		"others come first":   {in(v1alpha1.Pending, throttled), 0, "InProgress Throttled"},
		"the host is off":     {in(v1alpha1.Fenced), 0, "InProgress Isolating"},
		"the Node is back":    {in(v1alpha1.Restoring, reports(time.Minute), func(f *Facts) { f.Status.Node.Backup = nil }), time.Minute, "Current"},
		"it stays on":         {in(v1alpha1.PoweringOff), time.Hour, "Failed PowerOffTimedOut"},
		"the machine is gone": {in(v1alpha1.PoweringOff, machineGone), 0, "Failed MachineGone"},
	} {
		t.Run(name, func(t *testing.T) {
			// What is left of an earlier phase does not count any more.
			tt.facts.Status = settled(tt.facts).Status
			d := Decide(tt.facts, noon.Add(tt.after))
			if got := health.KStatus(t, &v1alpha1.RebootRemediation{Status: d.Status}); got != tt.want {
				t.Errorf("kstatus answers %q, want %q: %+v", got, tt.want, d.Status.Conditions)
			}
		})
	}
}
