package remediation

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

func TestDepthFor(t *testing.T) {
	tests := map[string]struct {
		decision ladder.Decision
		want     depth
	}{
		"nothing":            {ladder.Decision{}, cached},
		"a status":           {ladder.Decision{Store: true}, confirmed},
		"mark":               {ladder.Decision{Act: ladder.MarkForOwner}, judged},
		"deletion":           {ladder.Decision{Act: ladder.DeleteMachine}, judged},
		"reboot":             {ladder.Decision{Act: ladder.CreateReboot}, judged},
		"request":            {ladder.Decision{Act: ladder.CreateRequest}, judged},
		"mark taken back":    {ladder.Decision{Act: ladder.WithdrawMark}, current},
		"request taken back": {ladder.Decision{Act: ladder.WithdrawRequest}, current},
		"end":                {ladder.Decision{Act: ladder.Close}, cached},
	}
	for name, tt := range tests {
		if got := depthFor(tt.decision); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
