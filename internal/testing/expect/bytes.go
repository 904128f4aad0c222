package expect

import (
	"math"
	"runtime"
)

// Allocated returns how many bytes work allocates. What else runs in the process is counted too, so that it is the least of several counts.
func Allocated(work func()) uint64 {
	const counts, runs = 5, 10
	least := uint64(math.MaxUint64)
	var before, after runtime.MemStats
	for range counts {
		runtime.ReadMemStats(&before)
		for range runs {
			work()
		}
		runtime.ReadMemStats(&after)
		least = min(least, (after.TotalAlloc-before.TotalAlloc)/runs)
	}
	return least
}
