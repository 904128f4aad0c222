package looks

import (
	"context"
	"time"
)

// Timer is a look that no event led to, when the test kit makes it. Under a manager, the Log knows.
type Timer struct {
	// Factor is by how many times periods are longer; less than two means not at all.
	Factor int
	// Left is how long the kit goes on: no period becomes longer, so that the usual number has passed at the end.
	Left time.Duration
}

// maxPeriod is how long a period may become.
const maxPeriod = 4 * time.Hour

// Of returns a period as long as it becomes.
func (t Timer) Of(period time.Duration) time.Duration {
	if period <= 0 || t.Factor < 2 {
		return period
	}
	return period * time.Duration(max(1, min(t.Factor, int(maxPeriod/period), int(t.Left/period))))
}

type timerKey struct{}

// OnTimer returns a context for such a look.
func OnTimer(ctx context.Context, t Timer) context.Context {
	return context.WithValue(ctx, timerKey{}, t)
}

// TimerOf returns that of a context.
func TimerOf(ctx context.Context) (t Timer, found bool) {
	t, found = ctx.Value(timerKey{}).(Timer)
	return t, found
}
