package targets

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// acquire returns the connection, and whether the target is proven to answer; or the error of
// a recent failure.
func (t *target) acquire() (*connection, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.options.Clock.Now()
	t.used = now
	if t.err != nil && (t.conn == nil || now.Before(t.until)) {
		return nil, false, t.err
	}
	return t.conn, t.proven, nil
}

// release ends a request. The last one closes a retired connection.
func (t *target) release(conn *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	conn.closeIfRetired()
}

// retire retires a target that is no longer kept. Its current users may continue.
func (t *target) retire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retired = true
	t.discard(t.conn)
}

// discard makes a connection close once it is unused. The caller holds the lock.
func (t *target) discard(conn *connection) {
	if conn != nil {
		conn.retired = true
		conn.closeIfRetired()
	}
}

func (t *target) use(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used = now
}

func (t *target) lastUse() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.used
}

// remembered returns the error of the target during its back-off. Each request checks it:
// many may have queued for discovery when the first one fails.
func (t *target) remembered() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil && t.options.Clock.Now().Before(t.until) {
		return t.err
	}
	return nil
}

// answered records the answer to a read, which ends the back-off. The answer to a probe
// proves less: a target may answer it, and hang on requests that need its storage.
func (t *target) answered(conn *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if conn != t.conn {
		return
	}
	t.err, t.until, t.backoff, t.proven = nil, time.Time{}, t.options.backoff(), true
}

// failed records the error of an unanswered request if it is the target's fault. It returns
// the error for the caller.
func (t *target) failed(ctx context.Context, started time.Time, conn *connection, err error) error {
	if known := unavailable(err); known != nil {
		return known
	}
	refused := apierrors.IsUnauthorized(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.options.Clock.Now()
	if !refused && (!isNetwork(err) || gaveUp(ctx, now.Sub(started))) {
		return err
	}
	if t.err != nil && !started.After(t.failedAt) {
		// This request was already under way when the first of them failed.
		return t.err
	}
	failure := &healthcheck.UnavailableError{Target: t.key, Cause: cause(err), Err: err}
	if conn != t.conn {
		return failure
	}
	t.err = failure
	t.failedAt, t.until, t.proven = now, now.Add(t.backoff.Step()), false
	if refused {
		t.discard(conn)
		t.conn = nil
	}
	return t.err
}
