package targets

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// acquire returns the connection, and whether the target is proven to answer; or the
// error that it failed with just now.
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

// release ends a request. The last one closes a connection that nobody will get any more.
func (t *target) release(conn *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	conn.closeIfRetired()
}

// retire is for a target that is no longer kept. Its present users may read on.
func (t *target) retire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retired = true
	t.discard(t.conn)
}

// discard has a connection close as soon as nobody uses it. The caller holds the lock.
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

// remembered is the error of the target while its back-off lasts. It goes with each
// request: many may have queued up for discovery by the time the first one fails.
func (t *target) remembered() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil && t.options.Clock.Now().Before(t.until) {
		return t.err
	}
	return nil
}

// answered notes an answer to a read, which ends the back-off. That to a probe proves less: a
// target may answer it, and hang at whatever takes its storage.
func (t *target) answered(conn *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if conn != t.conn {
		return
	}
	t.err, t.until, t.backoff, t.proven = nil, time.Time{}, t.options.backoff(), true
}

// failed notes the error of a request that was not answered, if it is the target's fault. It
// returns the error for the caller.
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
		// One of many that were under way when the first of them failed.
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
