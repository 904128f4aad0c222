package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
		// Unless the call returns, it has ended its goroutine.
		got := returned{err: errGoexit}
		defer func() { answers <- got }()
		got.answer, got.err = guarded(ctx, call)
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

// errGoexit says that foreign code has ended its goroutine instead of returning, as the Fatal of a test does.
var errGoexit = &brokenError{ReasonCheckPanicked, "called runtime.Goexit instead of returning"}

// apart calls foreign code that takes no context and no time: in a goroutine of its own, which it may end without ending ours.
func apart[A any](ctx context.Context, call func() A) (A, error) {
	var (
		answer A
		err    error = errGoexit
		group  sync.WaitGroup
	)
	group.Go(func() {
		answer, err = guarded(ctx, func(context.Context) (A, error) { return call(), nil })
	})
	group.Wait()
	return answer, err
}

// guarded turns a panic into an error, and logs its stack.
func guarded[A any](ctx context.Context, call func(context.Context) (A, error)) (answer A, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &brokenError{ReasonCheckPanicked, fmt.Sprintf("panicked: %v", cause)}
			ctrl.LoggerFrom(ctx).Error(err, "Check panicked", "stack", string(debug.Stack()))
		}
	}()
	answer, err = call(ctx)
	// This looks at each error in the tree: a typed nil panics here, where that is caught, and not in the engine.
	_, _ = errors.AsType[noError](err)
	return answer, err
}

// noError is in no tree of errors.
type noError struct{ error }

// call identifies a call of foreign code: the object, and the part of the registration that is called.
type call struct {
	object client.ObjectKey
	uid    types.UID
	what   string
}

// hungCalls are the calls that had not returned at their timeout. It maps call to a channel that is closed when
// the call returns. Until then the call is not repeated, or each run would leave another goroutine behind. The
// zero value is ready.
type hungCalls struct{ sync.Map }

// boundedOnce is like bounded, but does not repeat a call that still hangs from an earlier run: it times out at
// once.
func boundedOnce[A any](ctx context.Context, hung *hungCalls, name call, timeout time.Duration, foreign func(context.Context) (A, error)) (A, error) {
	if hung == nil {
		return bounded(ctx, timeout, foreign)
	}
	if before, found := hung.Load(name); found && !isClosed(before.(chan struct{})) {
		var none A
		return none, timedOut(timeout)
	}
	ended := make(chan struct{})
	answer, err := bounded(ctx, timeout, func(ctx context.Context) (A, error) {
		defer func() {
			close(ended)
			hung.CompareAndDelete(name, ended)
		}()
		return foreign(ctx)
	})
	if !isClosed(ended) {
		hung.Store(name, ended)
		if isClosed(ended) {
			hung.CompareAndDelete(name, ended)
		}
	}
	return answer, err
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
