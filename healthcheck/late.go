package healthcheck

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// call names a call of foreign code: for which object, and what of a registration.
type call struct {
	object client.ObjectKey
	uid    types.UID
	what   string
}

// lateCalls are calls that had not returned at their timeout, call to a channel that is
// closed when they do. Such a call is not made again before, or each run would leave one
// more goroutine behind. The zero value is ready.
type lateCalls struct{ sync.Map }

// boundedOnce is bounded, and calls nothing that is late from before.
func boundedOnce[A any](ctx context.Context, late *lateCalls, name call, timeout time.Duration, foreign func(context.Context) (A, error)) (A, error) {
	if late == nil {
		return bounded(ctx, timeout, foreign)
	}
	if before, found := late.Load(name); found && !isClosed(before.(chan struct{})) {
		var none A
		return none, timedOut(timeout)
	}
	ended := make(chan struct{})
	answer, err := bounded(ctx, timeout, func(ctx context.Context) (A, error) {
		defer func() {
			close(ended)
			late.CompareAndDelete(name, ended)
		}()
		return foreign(ctx)
	})
	if !isClosed(ended) {
		late.Store(name, ended)
		if isClosed(ended) {
			late.CompareAndDelete(name, ended)
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
