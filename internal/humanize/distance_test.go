package humanize

import "testing"

// TestSlip: one letter, or two neighbors in the wrong order, and no more.
func TestSlip(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"ready", "ready"}: true, {"redy", "ready"}: true, {"readyy", "ready"}: true, {"reedy", "ready"}: true, {"raedy", "ready"}: true, {"erady", "ready"}: true, {"reayd", "ready"}: true,
		{"", "a"}: true, {"rdy", "ready"}: false, {"raeyd", "ready"}: false, {"deary", "ready"}: false, {"", "ab"}: false,
	} {
		for _, both := range [][2]string{pair, {pair[1], pair[0]}} {
			if got := Slip(both[0], both[1]); got != want {
				t.Errorf("%q: %t, want %t", both, got, want)
			}
		}
	}
}
