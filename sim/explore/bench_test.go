package explore

import (
	"testing"

	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

func BenchmarkRun(b *testing.B) {
	for _, spec := range worlds.All {
		b.Run(spec.Name, func(b *testing.B) {
			b.ReportAllocs()
			seed := uint64(1)
			for b.Loop() {
				run(spec, nil, schedule.NewRandom(seedOf(spec, seed)), nil)
				seed++
			}
		})
	}
}
