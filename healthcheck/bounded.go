package healthcheck

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// bounded calls foreign code. It returns at the timeout even if the code does not; that
// costs one goroutine, but never a worker. A panic in the code becomes an error instead of
// ending the process.
func bounded[A any](ctx context.Context, timeout time.Duration, call func(context.Context) (A, error)) (A, error) {
	ctx, cancel := bound(ctx, timeout)
	defer cancel()
	type returned struct {
		answer A
		err    error
	}
	answers := make(chan returned, 1)
	go func() {
		answer, err := guarded(ctx, call)
		answers <- returned{answer, err}
	}()
	var got returned
	select {
	case got = <-answers:
	case <-ctx.Done():
		got.err = ctx.Err()
	}
	// Code that notices its timeout may report it in its own words, before or after we do.
	// The text must not depend on who was first.
	if got.err != nil && isTimeUp(ctx) {
		got.err = tooLate(ctx)
	}
	return got.answer, got.err
}

// guarded turns a panic into an error, and logs its stack.
func guarded[A any](ctx context.Context, call func(context.Context) (A, error)) (answer A, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &brokenError{ReasonCheckPanicked, fmt.Sprintf("panicked: %v", cause)}
			ctrl.LoggerFrom(ctx).Error(err, "Check panicked", "stack", string(debug.Stack()))
		}
	}()
	return call(ctx)
}
