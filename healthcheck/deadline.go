package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// bound limits ctx to a timeout.
func bound(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, timeout, timedOut(timeout))
}

func timedOut(timeout time.Duration) error {
	return &brokenError{ReasonCheckTimedOut, fmt.Sprintf("did not answer within %s", timeout)}
}

// tooLate returns the error for a timeout: that of bound, or that of the whole reconcile if it ended first.
func tooLate(ctx context.Context) error {
	if ours, ok := errors.AsType[*brokenError](context.Cause(ctx)); ok {
		return ours
	}
	return &brokenError{ReasonCheckTimedOut, "did not answer before the reconcile timed out"}
}

// isTimeUp reports whether ctx has ended by its deadline rather than by cancellation.
func isTimeUp(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }

// beyondDeadline returns a context that is cancelled when ctx is, but has no deadline: findings must be stored even if
// the checks used up the time.
func beyondDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	beyond, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if !isTimeUp(ctx) {
			cancel(context.Cause(ctx))
		}
	})
	return beyond, func() {
		stop()
		cancel(nil)
	}
}
