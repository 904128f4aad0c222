package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// The back-off after an error. It ends soon enough that an object is looked at
// again soon after whatever was wrong has been mended.
const (
	firstBackoff = 5 * time.Millisecond
	lastBackoff  = 30 * time.Second
)

// periodJitter spreads the periodic runs, so that objects that were created
// together are not checked together for ever.
const periodJitter = 0.1

// writeTimeout bounds the writes of one run. Their time is their own, and not what
// the checks have left.
const writeTimeout = 10 * time.Second

// conflictRetry is how soon a write is tried again that met a newer object than
// the one that was judged. The cache has usually heard of it by then.
const conflictRetry = time.Second

// requeueAfter returns how long to wait until the next run: until the recheck
// time, at the latest after the period, and zero for never.
func requeueAfter(recheckAt, now time.Time, period time.Duration) time.Duration {
	if recheckAt.IsZero() {
		return period
	}
	// A recheck time that has passed while we were writing is due at once, and
	// zero would mean never.
	left := max(recheckAt.Sub(now), time.Millisecond)
	if period > 0 {
		return min(left, period)
	}
	return left
}

// afterWriteFailure tries again silently after a conflict, and once if the object was not
// found: it is gone, and the cache will hear of it. If the cache still has it then, it is
// the status of its kind that the API server does not serve.
func (r *Reconciler[T]) afterWriteFailure(obj T, err error) (ctrl.Result, error) {
	if apierrors.IsNotFound(err) {
		if r.missing.again(obj) {
			return ctrl.Result{}, fmt.Errorf("%w; as the object is there, its kind may lack the status subresource: the marker +kubebuilder:subresource:status", err)
		}
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	}
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	}
	return ctrl.Result{}, err
}

// afterFailure leaves the next try to the queue's back-off, unless that could let
// the moment pass at which another result changes: a check that cannot be carried
// out must not make the verdict of the others late.
func (r *Reconciler[T]) afterFailure(ctx context.Context, req ctrl.Request, err error, recheckAt time.Time, again time.Duration) (ctrl.Result, error) {
	if recheckAt.IsZero() || again > lastBackoff {
		return ctrl.Result{}, err
	}
	ctrl.LoggerFrom(ctx).Error(err, "A check could not be carried out; something else is due soon", "due", recheckAt)
	return ctrl.Result{RequeueAfter: min(again, r.rateLimiter().When(req))}, nil
}

// retried has the queue try again whatever an error says: a check may think that it need not be run again, but the queue would
// not look at the object any more, at which others look, too.
func retried(err error) error {
	if errors.Is(err, reconcile.TerminalError(nil)) {
		return errors.New(err.Error())
	}
	return err
}

// rateLimiter is that of the queue. There is one back-off for each object, wherever its next try comes from, and it ends
// with a success.
func (r *Reconciler[T]) rateLimiter() retries {
	r.makeRetry.Do(func() {
		r.retry = retries{workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](firstBackoff, lastBackoff)}
	})
	return r.retry
}

// retries count failures until succeeded. The queue would forget them when a time is named at which to try again.
type retries struct {
	workqueue.TypedRateLimiter[ctrl.Request]
}

// Forget implements workqueue.TypedRateLimiter, and forgets nothing.
func (retries) Forget(ctrl.Request) {}

func (r retries) succeeded(req ctrl.Request) { r.TypedRateLimiter.Forget(req) }

// period is the sync period of this run; zero means never.
func (r *Reconciler[T]) period() time.Duration {
	period := r.SyncPeriod
	if period == 0 && r.mayGetStale() {
		period = defaultSyncPeriod
	}
	if period <= 0 {
		return 0
	}
	return wait.Jitter(period, periodJitter)
}

// mayGetStale reports whether a check looks at something that nothing watches.
func (r *Registration[T]) mayGetStale() bool {
	watched := len(r.Watches) > 0 || r.MoreWatches != nil
	stale := func(needs Needs) bool { return needs.has(NeedsTarget) || (needs != 0 && !watched) }
	if r.Precheck != nil && stale(r.PrecheckNeeds) {
		return true
	}
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if stale(c.PrecheckNeeds) || slices.ContainsFunc(c.Checks, func(check NamedCheck[T]) bool { return stale(check.Needs) }) {
			return true
		}
	}
	return false
}
