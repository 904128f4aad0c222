package healthcheck

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// call identifies a call of foreign code: for which object, and which part of the registration is called.
type call struct {
	object client.ObjectKey
	uid    types.UID
	what   string
}

// hungCalls are the calls that had not returned at their timeout: call to a channel that is
// closed when they return. Such a call is not made again before it returns, or each run would
// leave one more goroutine behind. The zero value is ready.
type hungCalls struct{ sync.Map }

// boundedOnce is bounded, but does not make a call that still hangs from an earlier run: that times out at once.
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
