package report

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// calls makes one call for an overview at a time. So an Overview function that ignores its
// context costs one goroutine in all, not one for each request.
type calls struct {
	mu sync.Mutex
	// current is the call under way, or nil.
	current *call
}

// call is one call of an Overview function.
type call struct {
	// done is closed when the call has returned, and overview and err are set. expired is
	// closed at the timeout, or when the call has returned.
	done     chan struct{}
	expired  <-chan struct{}
	overview Overview
	err      error
}

// join waits for the answer of the call under way, and starts one if there is none. The call
// does not end with the request that started it: others may wait for it too.
func (c *calls) join(ctx context.Context, timeout time.Duration, overview func(context.Context) (Overview, error)) (Overview, error) {
	joined := c.started(ctx, timeout, overview)
	select {
	case <-joined.done:
		return joined.overview, joined.err
	case <-ctx.Done():
		return Overview{}, fmt.Errorf("making the overview: %w", ctx.Err())
	case <-joined.expired:
	}
	select {
	case <-joined.done: // The end of the call closes expired, too.
		return joined.overview, joined.err
	default:
		return Overview{}, timedOut(timeout)
	}
}

// started returns the call under way, or a new one.
func (c *calls) started(ctx context.Context, timeout time.Duration, overview func(context.Context) (Overview, error)) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil {
		return c.current
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	started := &call{done: make(chan struct{}), expired: ctx.Done()}
	c.current = started
	go func() {
		defer cancel()
		answer, err := guarded(ctx, overview)
		// Code that notices its timeout may report it in its own words, before or after we
		// do. The text must not depend on who was first.
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = timedOut(timeout)
		}
		started.overview, started.err = answer, err
		c.mu.Lock()
		defer c.mu.Unlock()
		c.current = nil
		close(started.done)
	}()
	return started
}

func timedOut(timeout time.Duration) error {
	return fmt.Errorf("the overview was not ready within %s", timeout)
}

// guarded turns a panic into an error, and logs its stack.
func guarded(ctx context.Context, overview func(context.Context) (Overview, error)) (answer Overview, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("making the overview panicked: %v", cause)
			ctrl.LoggerFrom(ctx).Error(err, "Overview panicked", "stack", string(debug.Stack()))
		}
	}()
	if answer, err = overview(ctx); err != nil {
		return Overview{}, fmt.Errorf("making the overview: %w", err)
	}
	return answer, nil
}
