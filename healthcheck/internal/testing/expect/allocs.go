// Code generated from internal/testing/expect/allocs.go by make generate. DO NOT EDIT.

package expect

import "testing"

// NoAllocation asserts that work allocates nothing. What else runs in the process is counted too, such as a manager of
// another test that is not quite done, so that one good count out of several will do: what work itself allocates is in each.
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
