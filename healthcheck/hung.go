package healthcheck

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
