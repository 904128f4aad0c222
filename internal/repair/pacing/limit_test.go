package pacing_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

const minute = time.Minute

func TestLimit(t *testing.T) {
	tests := map[string]struct {
		repairs []pacing.Repair
		want    int
	}{
		"nothing was repaired":     {nil, 1},
		"one is at work":           {[]pacing.Repair{atWork("a", 5*minute)}, 1},
		"one was proven":           {[]pacing.Repair{repair("a", 30*minute, 5*minute, proven)}, 2},
		"a round of two is half":   {[]pacing.Repair{repair("a", 40*minute, 30*minute, proven), repair("b", 29*minute, 5*minute, proven)}, 2},
		"a round of two is whole":  {[]pacing.Repair{repair("a", 40*minute, 30*minute, proven), repair("b", 29*minute, 6*minute, proven), repair("c", 29*minute, 5*minute, proven)}, 4},
		"one has failed":           {[]pacing.Repair{repair("a", 30*minute, 5*minute, failed)}, 1},
		"neither counts":           {[]pacing.Repair{repair("a", 40*minute, 30*minute, neither), repair("b", 29*minute, 6*minute, neither)}, 1},
		"neither breaks no round":  {[]pacing.Repair{repair("a", 40*minute, 30*minute, proven), repair("b", 29*minute, 7*minute, proven), repair("c", 29*minute, 6*minute, neither), repair("d", 29*minute, 5*minute, proven)}, 4},
		"a failure ends the round": {[]pacing.Repair{repair("a", 40*minute, 30*minute, proven), repair("b", 29*minute, 6*minute, proven), repair("c", 29*minute, 5*minute, failed)}, 1},
		"what began before it counts no more": {[]pacing.Repair{
			repair("a", 40*minute, 30*minute, proven), repair("b", 29*minute, 6*minute, failed), repair("c", 29*minute, 5*minute, proven),
		}, 1},
		"what began with it counts no more": {[]pacing.Repair{repair("a", 30*minute, 6*minute, failed), repair("b", 6*minute, 5*minute, proven)}, 1},
		"what began after it does":          {[]pacing.Repair{repair("a", 30*minute, 6*minute, failed), repair("b", 6*minute-1, 5*minute, proven)}, 2},
		"what was proven before it counts no more": {[]pacing.Repair{
			repair("a", 50*minute, 40*minute, proven), repair("b", 39*minute, 30*minute, proven), repair("c", 39*minute, 29*minute, failed),
			repair("d", 28*minute, 5*minute, proven),
		}, 2},
		"at the same moment, by UID": {[]pacing.Repair{
			repair("a", 40*minute, 30*minute, proven), repair("b", 29*minute, 5*minute, proven), repair("c", 29*minute, 5*minute, proven), repair("d", 29*minute, 5*minute, failed),
		}, 1},
		"at the same moment, the other way": {[]pacing.Repair{
			repair("a", 40*minute, 30*minute, proven), repair("b", 29*minute, 5*minute, failed), repair("c", 29*minute, 5*minute, proven), repair("d", 29*minute, 5*minute, proven),
		}, 1},
		"idle until now":    {[]pacing.Repair{repair("a", 30*minute, 10*minute, proven)}, 1},
		"not idle for long": {[]pacing.Repair{repair("a", 30*minute, 10*minute-1, proven)}, 2},
		"idle between":      {[]pacing.Repair{repair("a", 60*minute, 50*minute, proven), atWork("b", 40*minute)}, 1},
		"not idle between":  {[]pacing.Repair{repair("a", 60*minute, 50*minute, proven), atWork("b", 40*minute+1)}, 2},
		"one at work all the time": {[]pacing.Repair{
			repair("a", 60*minute, 50*minute, proven), atWork("b", 55*minute),
		}, 2},
		"one that was at work between": {[]pacing.Repair{
			repair("a", 60*minute, 50*minute, proven), repair("b", 59*minute, 12*minute, neither), repair("c", 20*minute, 5*minute, neither),
		}, 2},
		"idle, then again": {[]pacing.Repair{
			repair("a", 90*minute, 80*minute, proven), repair("b", 79*minute, 70*minute, proven), repair("c", 30*minute, 5*minute, proven),
		}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pace := pacing.Of(tt.repairs, now)
			for _, domain := range []string{"a", "z"} {
				if got := limitOf(pace, domain); got != tt.want {
					t.Errorf("%s: got %d, want %d", domain, got, tt.want)
				}
			}
			if got := limitOf(pace, "other"); got != 1 {
				t.Errorf("a domain in which nothing was repaired has the limit %d", got)
			}
		})
	}
}
