package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// sink keeps the compiler from optimizing a measured call away.
var sink Decision

// BenchmarkDecide measures one decision: for a cycle that waits, in each phase, and for one whose
// status changes.
func BenchmarkDecide(b *testing.B) {
	for _, bb := range []struct {
		name string
		f    Facts
	}{
		{"pending", settled(in(v1alpha1.Pending, missing))},
		{"waits for power off", in(v1alpha1.PoweringOff, seenOn, keyed, keySeen, probed)},
		{"is off", in(v1alpha1.PoweringOff, seenOn, keyed, keySeen, off)},
		{"waits for power on", in(v1alpha1.PoweringOn)},
		{"waits for Node", in(v1alpha1.WaitingForNode)},
		{"ended", in(v1alpha1.Succeeded)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = Decide(bb.f, noon.Add(time.Second))
			}
		})
	}
}
