package healthcheck

import (
	"testing"
	"time"
)

func TestRequeueAfter(t *testing.T) {
	tests := map[string]struct {
		recheckAt time.Time
		period    time.Duration
		want      time.Duration
	}{
		"never":                               {time.Time{}, 0, 0},
		"the period alone":                    {time.Time{}, time.Hour, time.Hour},
		"the recheck time alone":              {deadline, 0, time.Minute},
		"the recheck time before the period":  {deadline, time.Hour, time.Minute},
		"the period before the recheck time":  {deadline, time.Second, time.Second},
		"a recheck time that has just passed": {testNow.Add(-1), time.Hour, time.Millisecond},
		"a recheck time that is now":          {testNow, 0, time.Millisecond},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := requeueAfter(tt.recheckAt, testNow, tt.period); got != tt.want {
				t.Errorf("requeueAfter is %s, want %s", got, tt.want)
			}
		})
	}
}
