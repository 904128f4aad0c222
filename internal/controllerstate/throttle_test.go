package controllerstate

import (
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	var throttle Memory[int]
	if got := throttle.Paused(owner, time.Second, start); got != 0 {
		t.Errorf("the first status waits %s", got)
	}
	throttle.BeginPause(owner, start)
	for after, want := range map[time.Duration]time.Duration{
		0: time.Second, 999 * time.Millisecond: time.Millisecond, time.Second: 0, time.Hour: 0,
	} {
		if got := throttle.Paused(owner, time.Second, start.Add(after)); got != want {
			t.Errorf("after %s it waits %s, want %s", after, got, want)
		}
	}
	if got := throttle.Paused(another, time.Second, start); got != 0 {
		t.Errorf("another waits %s", got)
	}
}

// TestYieldEnds: other things may come first again and again, but a waiting status is stored all the same.
func TestYieldEnds(t *testing.T) {
	var throttle Memory[int]
	throttle.BeginPause(owner, start)
	waits := time.Duration(0)
	for after := time.Duration(0); after < time.Minute; after += 100 * time.Millisecond {
		now := start.Add(after)
		throttle.Yield(owner, now)
		if throttle.Paused(owner, time.Second, now) == 0 {
			throttle.BeginPause(owner, now)
			waits = 0
			continue
		}
		if waits += 100 * time.Millisecond; waits > 2*time.Second {
			t.Fatalf("after %s, a status has waited for %s", after, waits)
		}
	}
}
