package targets

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// target is one version of a target, with its state. It is the client that checks get.
type target struct {
	key, version string
	options      Options
	// turn is held while making the client, or probing the target.
	turn chan struct{}

	mu      sync.Mutex
	used    time.Time
	retired bool
	// conn is nil until there is a configuration; configErr is the last error of Config.
	conn      *connection
	configErr error
	// proven says that the target has answered since it last failed.
	proven bool
	// err is its last failure, at failedAt; nothing is sent before until.
	err             *healthcheck.UnavailableError
	failedAt, until time.Time
	backoff         wait.Backoff
}

func newTarget(key, version string, options Options) *target {
	return &target{
		key: key, version: version, options: options, used: options.Clock.Now(),
		turn: make(chan struct{}, 1), backoff: options.backoff(),
	}
}

// do sends one request, unless the target is known to be dead.
func (t *target) do(ctx context.Context, call func(client.Client) error) error {
	conn, err := t.ready(ctx)
	if err != nil {
		return err
	}
	defer t.release(conn)
	started := t.options.Clock.Now()
	err = call(conn.client)
	if !answered(err) {
		return t.failed(ctx, started, conn, err)
	}
	t.answered(conn)
	return err
}

// configure makes the client, if there is none and the last attempt is not too recent.
func (t *target) configure(ctx context.Context, config func(context.Context) (*rest.Config, error)) error {
	if done, err := t.configured(); done {
		return err
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if done, err := t.configured(); done {
		return err
	}
	conn, err := connect(ctx, config, t.options, t.remembered)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			t.configErr = err
			t.until = t.options.Clock.Now().Add(t.backoff.Step())
		}
		return err
	}
	conn.retired = t.retired
	t.conn, t.configErr = conn, nil
	return nil
}

// configured reports whether there is nothing to do now, and the last error.
func (t *target) configured() (done bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn != nil || t.options.Clock.Now().Before(t.until), t.configErr
}

// ready returns a connection to a target that answers. The caller must release it.
func (t *target) ready(ctx context.Context) (*connection, error) {
	conn, proven, err := t.acquire()
	if proven || err != nil {
		return conn, err
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn, proven, err = t.acquire()
	if proven || err != nil {
		return conn, err
	}
	started := t.options.Clock.Now()
	if err := conn.probe(ctx); !answered(err) {
		defer t.release(conn)
		return nil, t.failed(ctx, started, conn, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.proven = true
	return conn, nil
}
