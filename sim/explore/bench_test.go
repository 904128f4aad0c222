package explore

import "testing"

func BenchmarkRun(b *testing.B) {
	for _, spec := range Worlds {
		b.Run(spec.Name, func(b *testing.B) {
			b.ReportAllocs()
			seed := uint64(1)
			for b.Loop() {
				run(spec, nil, newRandom(seedOf(spec, seed)), nil)
				seed++
			}
		})
	}
}
