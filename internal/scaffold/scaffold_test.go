package scaffold

import (
	"testing"
	"time"
)

func TestRequeueAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		recheckAt    time.Time
		period, want time.Duration
	}{
		"never":                       {time.Time{}, 0, 0},
		"after the period":            {time.Time{}, time.Minute, time.Minute},
		"at the recheck":              {now.Add(time.Second), 0, time.Second},
		"at the recheck, if sooner":   {now.Add(time.Second), time.Minute, time.Second},
		"after the period, if sooner": {now.Add(time.Hour), time.Minute, time.Minute},
		"due":                         {now.Add(-time.Hour), time.Minute, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			if got := RequeueAfter(tt.recheckAt, now, tt.period); got != tt.want {
				t.Errorf("RequeueAfter is %s, want %s", got, tt.want)
			}
		})
	}
}
