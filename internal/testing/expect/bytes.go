package expect

import (
	"math"
	"runtime"
)

// Allocated returns how many bytes work allocates: the minimum of many counts. Other goroutines count too, and the race detector empties pools
// at random, so that work has to allocate again.
func Allocated(work func()) uint64 {
	const counts = 200
	least := uint64(math.MaxUint64)
	var before, after runtime.MemStats
	for range counts {
		runtime.ReadMemStats(&before)
		work()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
