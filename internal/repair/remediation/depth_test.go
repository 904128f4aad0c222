package remediation

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

func TestDepthFor(t *testing.T) {
	tests := map[string]struct {
		decision ladder.Decision
		missed   bool
		want     depth
	}{
		"nothing":            {ladder.Decision{}, false, cached},
		"a status":           {ladder.Decision{Store: true}, false, confirmed},
		"mark":               {ladder.Decision{Act: ladder.MarkForOwner}, false, bound},
		"mark again":         {ladder.Decision{Act: ladder.MarkForOwner}, true, judged},
		"deletion":           {ladder.Decision{Act: ladder.DeleteMachine}, false, judged},
		"reboot":             {ladder.Decision{Act: ladder.CreateReboot}, false, judged},
		"request":            {ladder.Decision{Act: ladder.CreateRequest}, false, judged},
		"mark taken back":    {ladder.Decision{Act: ladder.WithdrawMark}, false, current},
		"request taken back": {ladder.Decision{Act: ladder.WithdrawRequest}, false, current},
		"end":                {ladder.Decision{Act: ladder.Close}, false, cached},
	}
	for name, tt := range tests {
		if got := depthFor(tt.decision, tt.missed); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
