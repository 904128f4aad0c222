package expect

import "testing"

// NoAllocation asserts that work allocates nothing. It also counts other goroutines of the process, such as another test's
// manager that is still stopping. So one count of zero out of several is enough: what work itself allocates would be in
// each.
func NoAllocation(t testing.TB, work func()) {
	t.Helper()
	var n float64
	for range 5 {
		if n = testing.AllocsPerRun(100, work); n == 0 {
			return
		}
	}
	t.Errorf("it allocates %v times, want 0", n)
}
