package targets

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/network"
)

// Access is how to reach a target: which cluster it is, and a credential for it.
type Access struct {
	// Key is the name of the cluster as people know it; errors contain it. Objects with the
	// same key share a client.
	Key string
	// Version distinguishes credentials, for example by a hash. When it changes, a new
	// client replaces the old one.
	Version string
	// Config returns the configuration of a client. It is called to make a client, once for
	// all callers that wait for it, and again after the target has refused the credential.
	// If it fails, Clients.Target returns that error until a back-off has passed.
	Config func(ctx context.Context) (*rest.Config, error)
}

// Clients keeps the clients of targets. It implements [healthcheck.Targets]: set it as
// Registration.Targets. Several registrations can share it if they have the same targets.
//
// Add it to the manager, which then closes unused clients; or call Close at the end. It is
// safe for concurrent use. It must not be copied, or changed after its first use.
type Clients[T any] struct {
	// Resolve returns how to reach the target of an object, for example by
	// KubeconfigSecret.Resolve. It is required. It is called in each run of the object, so it
	// must be quick. It must be safe for concurrent use.
	Resolve func(ctx context.Context, obj T) (Access, error)
	Options

	once    sync.Once
	mu      sync.Mutex
	targets map[string]*target
}

var (
	_ healthcheck.Targets[client.Object] = &Clients[client.Object]{}
	_ healthcheck.Validator              = &Clients[client.Object]{}
	_ manager.Runnable                   = &Clients[client.Object]{}
)

// init fills in the defaults at the first use.
func (c *Clients[T]) init() {
	c.once.Do(func() {
		c.Options = c.complete()
		c.targets = map[string]*target{}
		register()
	})
}

// Validate implements [healthcheck.Validator].
func (c *Clients[T]) Validate() error {
	if c == nil || c.Resolve == nil {
		return errors.New("the Clients have no Resolve")
	}
	return nil
}

// Target implements [healthcheck.Targets]. It sends nothing. The client that it returns
// does not use a cache; if the target is dead, its errors are of type
// *[healthcheck.UnavailableError]. It is also a client.Client, for checks that need one.
func (c *Clients[T]) Target(ctx context.Context, obj T) (client.Reader, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.init()
	resolved, err := c.Resolve(ctx, obj)
	if err != nil {
		return nil, network.Stable(err)
	}
	t := c.find(resolved)
	if err := t.configure(ctx, resolved.Config); err != nil {
		return nil, fmt.Errorf("making a client of cluster %s: %w", resolved.Key, network.Stable(err))
	}
	return t, nil
}

// find returns the target with this key and version, or a new one, for which it makes room.
func (c *Clients[T]) find(resolved Access) *target {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Clock.Now()
	known := c.targets[resolved.Key]
	if known != nil && known.version == resolved.Version {
		known.use(now)
		return known
	}
	if known != nil {
		c.evict(resolved.Key, evictedChanged)
	}
	c.dropIdle()
	if len(c.targets) >= c.MaxTargets {
		c.dropOldest()
	}
	t := newTarget(resolved.Key, resolved.Version, c.Options)
	c.targets[resolved.Key] = t
	clientsNow.Inc()
	return t
}

// Start closes unused clients until ctx ends, and then all. It implements manager.Runnable.
func (c *Clients[T]) Start(ctx context.Context) error {
	c.init()
	ticker := c.Clock.NewTicker(max(c.IdleTime/2, 1))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			c.Close()
			return nil
		case <-ticker.C():
			c.mu.Lock()
			c.dropIdle()
			c.mu.Unlock()
		}
	}
}

// Close drops all clients and does not wait. Requests under way continue, and then their
// connections close. The Clients can still be used; they start afresh.
func (c *Clients[T]) Close() {
	c.init()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.targets {
		c.drop(key)
	}
}
