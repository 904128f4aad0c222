package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRatio(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 0.04: "1/25", 0.5: "1/2", 0.78: "1/1.3", 0.0001: "1/10,000", 0.96: "1", 1: "1", 1.3: "1.3", 1.349: "1.3", 25.4: "25", 1234: "1,200",
	} {
		if diff := cmp.Diff(want, ratio(value)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", value, diff)
		}
	}
}
