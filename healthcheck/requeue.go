package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// The back-off after an error. It is short enough that an object is checked soon after the cause is fixed.
const (
	firstBackoff = 5 * time.Millisecond
	lastBackoff  = 30 * time.Second
)

// periodJitter spreads the periodic runs, so that objects that were created together are not always checked together.
const periodJitter = 0.1

// writeTimeout is the timeout for all writes of one run. It does not depend on how much time the checks have left.
const writeTimeout = 10 * time.Second

// conflictRetry is how soon to retry a write that met a newer object than the judged one. By then, the cache has usually seen
// it.
const conflictRetry = time.Second

// requeueAfter returns how long to wait for the next run: until the recheck time, but no longer than the period, and no
// shorter than the floor. Zero means never.
func requeueAfter(recheckAt, now time.Time, period, floor time.Duration) time.Duration {
	if recheckAt.IsZero() {
		return period
	}
	// A recheck time that passed during the write is due, and zero would mean never.
	left := max(recheckAt.Sub(now), floor)
	if period > 0 {
		return min(left, period)
	}
	return left
}

// afterWriteFailure retries silently after a conflict, and once if the object was not found: it is gone, and the cache will
// show that. If the cache still has it at the second try, the API server does not serve the status of its kind.
func (r *Reconciler[T]) afterWriteFailure(obj T, err error) (ctrl.Result, error) {
	if r.managed {
		// What was judged may no longer be so: the next look asks all checks.
		r.looks.Event(client.ObjectKeyFromObject(obj))
	}
	if apierrors.IsNotFound(err) {
		if r.missing.again(obj) {
			return ctrl.Result{}, fmt.Errorf("%w; the object exists, so its kind may lack the status subresource (marker +kubebuilder:subresource:status)", err)
		}
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	}
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	}
	return ctrl.Result{}, err
}

// afterFailure leaves the retry to the queue's back-off, unless that could miss the moment at which another result changes: a
// failing check must not delay the verdict of the others.
func (r *Reconciler[T]) afterFailure(ctx context.Context, req ctrl.Request, err error, recheckAt time.Time, again time.Duration) (ctrl.Result, error) {
	if recheckAt.IsZero() || again > lastBackoff {
		return ctrl.Result{}, err
	}
	ctrl.LoggerFrom(ctx).Error(err, "A check could not be carried out; something else is due soon", "due", recheckAt)
	return ctrl.Result{RequeueAfter: min(again, r.rateLimiter().When(req))}, nil
}

// retried makes the queue retry after any error. A check may return a TerminalError because it need not run again, but other
// checks look at the same object.
func retried(err error) error {
	if errors.Is(err, reconcile.TerminalError(nil)) {
		return errors.New(err.Error())
	}
	return err
}

// rateLimiter returns that of the queue. Each object has one back-off, whatever caused the retry, and a success ends it.
func (r *Reconciler[T]) rateLimiter() retries {
	r.makeRetry.Do(func() {
		r.retry = retries{workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](firstBackoff, lastBackoff)}
	})
	return r.retry
}

// retries counts failures until succeeded is called. The queue would reset the count whenever a result has a RequeueAfter.
type retries struct {
	workqueue.TypedRateLimiter[ctrl.Request]
}

// Forget implements workqueue.TypedRateLimiter. It does nothing.
func (retries) Forget(ctrl.Request) {}

func (r retries) succeeded(req ctrl.Request) { r.TypedRateLimiter.Forget(req) }

// floor returns the least time between two looks at one object.
func (r *Registration[T]) floor() time.Duration { return cmp.Or(r.MinInterval, defaultMinInterval) }

// period returns after what time to look at an object that nothing else makes due; zero means never. What checks look at is
// polled when they are due: see poll.
func (r *Registration[T]) period() time.Duration {
	if r.SyncPeriod == 0 && r.prechecksUnwatched() {
		return defaultSyncPeriod
	}
	return max(0, r.SyncPeriod)
}

// prechecksUnwatched reports whether a precheck looks at what nothing watches.
func (r *Registration[T]) prechecksUnwatched() bool {
	return (r.Precheck != nil && r.isUnwatched(r.PrecheckNeeds, nil)) ||
		slices.ContainsFunc(r.Conditions, func(c ConditionChecks[T]) bool { return r.isUnwatched(c.PrecheckNeeds, nil) })
}

// isUnwatched reports whether no event announces what changes among the needs; kinds are those that are read, if known.
func (r *Registration[T]) isUnwatched(needs Needs, kinds []string) bool {
	switch {
	case needs.has(NeedsTarget):
		return true
	case needs == 0 || r.MoreWatches != nil:
		return false
	case len(kinds) == 0:
		return len(r.Watches) == 0
	}
	return slices.ContainsFunc(kinds, func(kind string) bool {
		return !slices.ContainsFunc(r.Watches, func(w Watch) bool { return kindOf(w.Object) == kind })
	})
}

// kindOf returns the kind of an object. A typed one has it in no field, but its Go type has that name.
func kindOf(obj client.Object) string {
	return cmp.Or(obj.GetObjectKind().GroupVersionKind().Kind, reflect.TypeOf(obj).Elem().Name())
}

// poll returns how long the result of a check without an Interval lasts if no event comes. Few objects are unhealthy, and
// somebody waits for them, so what is neither True nor Skipped is asked again sooner.
func (r *Registration[T]) poll(check NamedCheck[T], found Status) time.Duration {
	switch {
	case r.SyncPeriod > 0:
		return r.SyncPeriod
	case r.SyncPeriod < 0 || !r.isUnwatched(check.Needs, check.Reads):
		return forever
	case found != True && found != Skipped:
		return min(defaultSyncPeriod, cmp.Or(check.Poll, defaultSyncPeriod))
	}
	return cmp.Or(check.Poll, defaultSyncPeriod)
}

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

// clockError says that the clocks could not be stored. Nothing else was written then.
type clockError struct{ error }

// Unwrap returns the underlying error.
func (e *clockError) Unwrap() error { return e.error }

// withoutClocks writes the conditions that need no clock if the API server refuses to store the clocks: a missing permission
// must not hide all other conditions of an object. It ignores other errors.
func (r *Reconciler[T]) withoutClocks(ctx context.Context, run run[T], seen observation, err error) error {
	refused, ok := errors.AsType[*clockError](err)
	if !ok || (!apierrors.IsForbidden(err) && !apierrors.IsInvalid(err)) {
		return nil
	}
	seen.outcomes = unclocked(seen.outcomes, refused)
	p := r.decideOn(ctx, run, seen)
	p.progress, p.progressChanged = run.progress, false
	p.putOff(r.reworded.lately(run.in.Object, run.in.Now))
	return r.carryOut(ctx, run.in.Object, p)
}

// unclocked makes the conditions Unknown that need a clock: without it, their deadline is unknown.
func unclocked(outcomes []outcome, err error) []outcome {
	outcomes = slices.Clone(outcomes)
	for i := range outcomes {
		o := &outcomes[i]
		if o.applicability == Applies && len(o.progress) > 0 {
			o.result = Result{Status: Unknown, Reason: ReasonCheckFailed, Message: err.Error()}
			o.isStored, o.progress = false, nil
		}
	}
	return outcomes
}
