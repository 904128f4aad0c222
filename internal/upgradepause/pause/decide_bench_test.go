package pause

import "testing"

// sink keeps the compiler from optimizing a measured call away.
var sink Decision

// BenchmarkDecide measures a decision that changes nothing.
func BenchmarkDecide(b *testing.B) {
	for name, f := range map[string]Facts{
		"no upgrade": {Annotations: stored{"owner": "me"}.And(resumed(noon))},
		"paused":     {Annotations: ours("A", noon), Upgrades: upgrading("A")},
		"overridden": {Annotations: stored{keyHandled: "A"}, Upgrades: upgrading("A")},
	} {
		f.WarnAfter = warnAfter
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = Decide(f, one)
			}
			if len(sink.Changes) > 0 {
				b.Fatalf("it changes: %v", sink.Changes)
			}
		})
	}
}
