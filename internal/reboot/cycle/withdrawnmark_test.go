package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestHeldHostIsNotMarked: a request is withdrawn while a person keeps its host off. The cycle ends, and says nothing about the host.
func TestHeldHostIsNotMarked(t *testing.T) {
	for name, keptOff := range map[string]change{
		"another key": others, "spec.online": userOff,
		"paused": obstacleIs(v1alpha1.ReasonHostPaused), "detached": obstacleIs(v1alpha1.ReasonHostDetached),
	} {
		t.Run(name, func(t *testing.T) {
			f := in(v1alpha1.PoweringOn, keptOff, deleting)
			now := noon.Time
			for range 20 {
				d := Decide(f, now)
				if d.Action == MarkHost {
					t.Fatalf("a host that a person keeps off is marked as unhealthy: %+v", messageOf(d.Status))
				}
				if d.Changed {
					f.Status = d.Status
					continue
				}
				if d.Action != Nothing {
					return
				}
				now = now.Add(time.Hour)
			}
		})
	}
}
